# The ARCHIVES, by NM, call nothing of the system that needs threads, files, sockets or programs.
set(forbidden "pthread_.*|sem_.*|sched_.*|open|open64|openat|openat64|creat|read|write|pread|pread64|pwrite|pwrite64|\
close|stat|fstat|fstatat|lstat|stat64|fopen|fopen64|opendir|readdir|mkdir|unlink|rename|mmap|mmap64|munmap|ioctl|fcntl|\
fcntl64|flock|dup|dup2|pipe|pipe2|poll|select|epoll_.*|inotify_.*|socket|connect|bind|listen|accept|accept4|send|\
sendto|recv|recvfrom|getaddrinfo|fork|vfork|execve|posix_spawn.*|waitpid|kill|syscall|dlopen|getenv")
set(count 0)
foreach(archive IN LISTS ARCHIVES)
    execute_process(COMMAND "${NM}" --undefined-only --format=posix "${archive}"
        OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" lines "${listed}")
    foreach(line IN LISTS lines)
        string(REGEX MATCH "^[^ @]+" name "${line}")
        math(EXPR count "${count} + 1")
        if(name MATCHES "^(${forbidden})$" OR name MATCHES "^_ZNSt(6thread|10filesystem|13basic_filebuf)")
            message(SEND_ERROR "${archive} needs ${name}")
        endif()
    endforeach()
endforeach()
if(count LESS 100)
    message(FATAL_ERROR "nm lists only ${count} names: it reads the wrong files")
endif()
