# An object store on loopback for tests, written from the published description of AWS Signature Version 4: it checks
# each request's signature and the hash of its body, knows If-None-Match and If-Match, multipart uploads and lists.
#
#     python3 s3_server.py PORT FOLDER KEY SECRET REGION [option...]
#
# Buckets are folders in FOLDER. Options: "no-conditions" (conditions are ignored), "skew" (its clock is an hour ahead),
# "token=TEXT" (requests must carry this session token), "page=N" (keys of a page), "together=N" (parts are answered
# when N of them have come, or a minute later with 500), "refuse-part=N" (403 for this part), "busy-part=N" (503 for it
# once). It ends with its standard input. FOLDER/uploads has the number of unfinished uploads, and that of parts
# received at once at most.
import base64, datetime, hashlib, hmac, http.server, os, re, sys, threading, urllib.parse, uuid
from xml.sax.saxutils import escape

PORT, ROOT, KEY, SECRET, REGION = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5]
OPTIONS = sys.argv[6:]
TOKEN = next((o[6:] for o in OPTIONS if o.startswith("token=")), None)
PAGE = next((int(o[5:]) for o in OPTIONS if o.startswith("page=")), 1000)
NUMBERS = dict(o.split("=") for o in OPTIONS if o.startswith(("together=", "refuse-part=", "busy-part=")))
META, uploads, lock = {}, {}, threading.Lock()
parts_changed, parts_now, parts_most, was_busy = threading.Condition(), 0, 0, set()


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def encoded(text):
    return urllib.parse.quote(text, safe="-_.~")


def signature(secret, region, service, time, method, path, query, headers, signed, body_hash):
    canonical_query = "&".join(f"{encoded(k)}={encoded(v)}" for k, v in sorted(query))
    canonical_headers = "".join(f"{n}:{' '.join(headers[n].split())}\n" for n in signed)
    request = "\n".join([method, path, canonical_query, canonical_headers, ";".join(signed), body_hash])
    scope = f"{time[:8]}/{region}/{service}/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", time, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = mac(mac(mac(mac(("AWS4" + secret).encode(), time[:8]), region), service), "aws4_request")
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def check_published_vector():
    # "get-vanilla" of the test suite that AWS publishes for Signature Version 4.
    empty = hashlib.sha256(b"").hexdigest()
    secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    headers = {"host": "example.amazonaws.com", "x-amz-date": "20150830T123600Z"}
    found = signature(secret, "us-east-1", "service", headers["x-amz-date"], "GET", "/", [], headers, sorted(headers),
                      empty)
    assert found == "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31", found


class Refusal(Exception):
    pass


def note_uploads():
    with open(os.path.join(ROOT, "uploads"), "w") as f:
        f.write(f"{len(uploads)} unfinished, {parts_most} at once")


def hold_part(number):
    """Waits for other parts, and refuses the part that an option names."""
    global parts_now, parts_most
    together = int(NUMBERS.get("together", 0))
    with parts_changed:
        parts_now += 1
        parts_most = max(parts_most, parts_now)
        parts_changed.notify_all()
        came = parts_changed.wait_for(lambda: parts_most >= together, 60)
        parts_now -= 1
        is_busy = NUMBERS.get("busy-part") == number and number not in was_busy
        was_busy.add(number)
    if not came:
        raise Refusal(500, "InternalError")
    if is_busy:
        raise Refusal(503, "SlowDown")
    if NUMBERS.get("refuse-part") == number:
        raise Refusal(403, "AccessDenied")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        if isinstance(body, str):
            body = body.encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if not any(n.lower() == "content-length" for n, _ in headers):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def check(self, body):
        h = {k.lower(): v for k, v in self.headers.items()}
        match = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?SignedHeaders=([^,]+), ?"
            r"Signature=([0-9a-f]{64})", h.get("authorization", ""))
        if not match:
            raise Refusal(403, "AccessDenied")
        key, day, region, signed, given = match.groups()
        if key != KEY:
            raise Refusal(403, "InvalidAccessKeyId")
        if region != REGION:
            raise Refusal(400, "AuthorizationHeaderMalformed")
        signed = signed.split(";")
        must = {"host"} | {n for n in h if n.startswith("x-amz-")}
        if signed != sorted(signed) or not must <= set(signed):
            raise Refusal(403, "AccessDenied")
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qsl(url.query, keep_blank_values=True)
        wanted = signature(SECRET, REGION, "s3", h.get("x-amz-date", ""), self.command, url.path, query, h, signed,
                           h.get("x-amz-content-sha256", ""))
        if not hmac.compare_digest(wanted, given) or not h["x-amz-date"].startswith(day):
            raise Refusal(403, "SignatureDoesNotMatch")
        now = datetime.datetime.utcnow() + datetime.timedelta(hours=1 if "skew" in OPTIONS else 0)
        if abs(now - datetime.datetime.strptime(h["x-amz-date"], "%Y%m%dT%H%M%SZ")).total_seconds() > 900:
            raise Refusal(403, "RequestTimeTooSkewed")
        if TOKEN is not None and h.get("x-amz-security-token") != TOKEN:
            raise Refusal(400, "ExpiredToken")
        if h["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            raise Refusal(400, "XAmzContentSHA256Mismatch")
        return url.path, dict(query)

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            path, query = self.check(body)
            if self.command == "PUT" and "partNumber" in query:
                hold_part(query["partNumber"])
            with lock:
                self.act(path, query, body)
        except Refusal as refusal:
            status, word = refusal.args
            error = f"<Error><Code>{word}</Code><Message>key {KEY}</Message></Error>"
            self.answer(status, f"<?xml version=\"1.0\"?>{error}")

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = serve

    def etag(self, file):
        with open(file, "rb") as f:
            return '"' + hashlib.md5(f.read()).hexdigest() + '"'

    def verify_conditions(self, file):
        if "no-conditions" in OPTIONS:
            return
        there = os.path.isfile(file)
        if self.headers.get("If-None-Match") == "*" and there:
            raise Refusal(412, "PreconditionFailed")
        wanted = self.headers.get("If-Match")
        if wanted and (not there or self.etag(file) != wanted):
            raise Refusal(412, "PreconditionFailed")

    def write(self, file, body, meta):
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file + "~", "wb") as f:
            f.write(body)
        os.rename(file + "~", file)
        META[file] = meta

    def act(self, path, query, body):
        bucket, _, key = urllib.parse.unquote(path).lstrip("/").partition("/")
        if not os.path.isdir(os.path.join(ROOT, bucket)):
            raise Refusal(404, "NoSuchBucket")
        if not key:
            return self.list(bucket, query)
        if not re.fullmatch(r"[0-9a-z/._-]+", key) or ".." in key:
            raise Refusal(400, "InvalidArgument")
        file = os.path.join(ROOT, bucket, key)
        meta = [(n, v) for n, v in self.headers.items() if n.lower().startswith("x-amz-meta-")]
        if self.command == "PUT" and "uploadId" in query:
            parts = uploads.get(query["uploadId"])
            if parts is None:
                raise Refusal(404, "NoSuchUpload")
            parts[int(query["partNumber"])] = body
            return self.answer(200, headers=[("ETag", '"' + hashlib.md5(body).hexdigest() + '"')])
        if self.command == "POST" and "uploads" in query:
            upload = uuid.uuid4().hex + "/+"
            uploads[upload] = {0: meta}
            note_uploads()
            return self.answer(200, "<?xml version=\"1.0\"?><InitiateMultipartUploadResult>"
                                    f"<UploadId>{escape(upload)}</UploadId></InitiateMultipartUploadResult>")
        if self.command == "POST":
            parts = uploads.get(query.get("uploadId"))
            if parts is None:
                raise Refusal(404, "NoSuchUpload")
            self.verify_conditions(file)
            listed = re.findall(r"<PartNumber>(\d+)</PartNumber><ETag>(.*?)</ETag>", body.decode())
            whole = b""
            for number, tag in listed:
                part = parts[int(number)]
                if tag != '"' + hashlib.md5(part).hexdigest() + '"':
                    raise Refusal(400, "InvalidPart")
                whole += part
            self.write(file, whole, parts[0])
            del uploads[query["uploadId"]]
            note_uploads()
            return self.answer(200, "<CompleteMultipartUploadResult><Key>x</Key></CompleteMultipartUploadResult>")
        if self.command == "PUT":
            self.verify_conditions(file)
            self.write(file, body, meta)
            return self.answer(200, headers=[("ETag", self.etag(file))])
        if self.command == "DELETE":
            if "uploadId" in query:
                uploads.pop(query["uploadId"], None)
                note_uploads()
            elif os.path.isfile(file):
                os.remove(file)
            return self.answer(204)
        if not os.path.isfile(file):
            raise Refusal(404, "NoSuchKey")
        with open(file, "rb") as f:
            whole = f.read()
        headers = [("ETag", self.etag(file))] + META.get(file, [])
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if self.command == "GET" and wanted:
            first, last = int(wanted[1]), min(int(wanted[2]), len(whole) - 1)
            return self.answer(206, whole[first:last + 1],
                               headers + [("Content-Range", f"bytes {first}-{last}/{len(whole)}")])
        self.answer(200, whole, headers)

    def list(self, bucket, query):
        prefix, after = query.get("prefix", ""), base64.b64decode(query.get("continuation-token", "")).decode()
        keys = []
        for folder, _, files in os.walk(os.path.join(ROOT, bucket)):
            for name in files:
                key = os.path.relpath(os.path.join(folder, name), os.path.join(ROOT, bucket))
                is_deeper = "/" in key[len(prefix):]
                if key.startswith(prefix) and not (is_deeper and query.get("delimiter") == "/") and key > after:
                    keys.append(key)
        keys.sort()
        more = len(keys) > PAGE
        text = f"<ListBucketResult><IsTruncated>{'true' if more else 'false'}</IsTruncated>"
        for key in keys[:PAGE]:
            size = os.path.getsize(os.path.join(ROOT, bucket, key))
            text += f"<Contents><Key>{escape(key)}</Key><Size>{size}</Size></Contents>"
        if more:
            token = base64.b64encode(keys[PAGE - 1].encode()).decode()
            text += f"<NextContinuationToken>{escape(token)}</NextContinuationToken>"
        self.answer(200, text + "</ListBucketResult>")


def end_with_input():
    sys.stdin.read()
    os._exit(0)


check_published_vector()
threading.Thread(target=end_with_input, daemon=True).start()


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a client that was killed
            super().handle_error(request, client_address)


server = Server(("127.0.0.1", PORT), Handler)
server.daemon_threads = True
server.serve_forever()
