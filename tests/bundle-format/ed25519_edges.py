#!/usr/bin/env python3
"""Makes ed25519_edges.txt: twelve signatures on the edge of Ed25519 verification.

The conditions are those of the table of test vectors in Chalkias, Garillot, Nikolaenko, "Taming the many EdDSAs" (SSR
2020, https://eprint.iacr.org/2020/1244); keys, messages and signatures are made here. S: second half of the signature,
R: first half, A: public key, h = SHA-512(R, A, message), L: order of the base point B. "small": of order 1, 2, 4 or 8;
"mixed": with both a small and a large part. Each satisfies 8SB = 8R + 8hA for some reading of the rules.
"""
import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2
    return ((x1 * y2 + x2 * y1) * pow(1 + t, P - 2, P) % P, (y1 * y2 + x1 * x2) * pow(1 - t, P - 2, P) % P)


def times(n, point):
    result = ZERO
    while n:
        if n & 1:
            result = add(result, point)
        point = add(point, point)
        n >>= 1
    return result


def encode(point, y_plus=0, sign=None):
    x, y = point
    return (y + y_plus | (x & 1 if sign is None else sign) << 255).to_bytes(32, "little")


def x_of(y):
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    return x if x * x % P == square else None


ZERO = (0, 1)
B_Y = 4 * pow(5, P - 2, P) % P
B = (x_of(B_Y) if x_of(B_Y) % 2 == 0 else P - x_of(B_Y), B_Y)
TWO = (0, P - 1)  # the point of order 2


def point_of_order_8():
    y = 2
    while True:
        if x_of(y) is not None:
            t = times(L, (x_of(y), y))
            if times(4, t) != ZERO:
                return t
        y += 1


T = point_of_order_8()


def negative(point):
    return (-point[0] % P, point[1])


def scalar(seed):
    return int.from_bytes(hashlib.sha512(b"fardel edge " + seed).digest(), "little") % L


def challenge(r, a, message):
    return int.from_bytes(hashlib.sha512(r + a + message).digest(), "little") % L


def search(r, a, fits, r_hashed=None, a_hashed=None):
    """The first message whose h fits; R and A may be hashed in another encoding than the one sent."""
    for n in range(10000):
        message = hashlib.sha256(b"fardel message %d" % n).digest()
        h = challenge(r_hashed or r, a_hashed or a, message)
        if fits(h):
            return message, h
    raise SystemExit("no message found")


def vector(n, what, accept, key, message, r, s):
    verdict = "accept" if accept else "refuse"
    print(f"# {n}: {what}\n{verdict} {key.hex()} {message.hex()} {r.hex()}{s.to_bytes(32, 'little').hex()}")


def holds(s, r_point, h, a_point):
    return times(s, B) == add(r_point, times(h, a_point))


def main():
    a, r = scalar(b"a"), scalar(b"r")
    big_a, big_r = times(a, B), times(r, B)
    mixed_a, mixed_r = add(big_a, T), add(big_r, T)

    key, first = encode(T), encode(negative(T))
    message, h = search(first, key, lambda h: h % 8 == 1)
    assert holds(0, negative(T), h, T)
    vector(0, "S = 0, A small, R small", False, key, message, first, 0)

    key, first = encode(T), encode(mixed_r)
    message, h = search(first, key, lambda h: h % 8 == 7)
    assert holds(r, mixed_r, h, T)
    vector(1, "A small, R mixed", False, key, message, first, r)

    key, first = encode(mixed_a), encode(negative(T))
    message, h = search(first, key, lambda h: h % 8 == 1)
    assert holds(h * a % L, negative(T), h, mixed_a)
    vector(2, "A mixed, R small", False, key, message, first, h * a % L)

    key, first = encode(mixed_a), encode(mixed_r)
    message, h = search(first, key, lambda h: h % 8 == 7)
    assert holds((r + h * a) % L, mixed_r, h, mixed_a)
    vector(3, "A mixed, R mixed, the equation holds without the cofactor", True, key, message, first, (r + h * a) % L)

    message, h = search(first, key, lambda h: h % 8 not in (0, 7))
    assert not holds((r + h * a) % L, mixed_r, h, mixed_a)
    vector(4, "A mixed, R mixed, the equation holds only times the cofactor", False,
           key, message, first, (r + h * a) % L)

    first = encode(big_r)
    message, h = search(first, key, lambda h: h % 8 != 0 and 8 * h % L % 8 != 0)
    assert not holds((r + h * a) % L, big_r, h, mixed_a)
    vector(5, "A mixed, R of order L, holds only times the cofactor, and not if 8h is reduced mod L", False,
           key, message, first, (r + h * a) % L)

    key = encode(big_a)
    message, h = search(first, key, lambda h: True)
    s = (r + h * a) % L
    assert holds(s, big_r, h, big_a)
    vector(6, "S + L: above L", False, key, message, first, s + L)
    vector(7, "S + 14 L: far above L, with its three top bits set", False, key, message, first, s + 14 * L)
    assert (s + 14 * L) >> 253 == 7

    key, canonical, other = encode(mixed_a), encode(ZERO), encode(ZERO, y_plus=P)
    for n, hashed in ((8, canonical), (9, other)):
        message, h = search(other, key, lambda h: h % 8 == 0, r_hashed=hashed)
        assert holds(h * a % L, ZERO, h, mixed_a)
        vector(n, f"A mixed, R small and not canonical (y = p + 1), hashed {'canonically' if n == 8 else 'as it is'}",
               False, key, message, other, h * a % L)

    canonical, other = encode(TWO), encode(TWO, sign=1)
    for n, hashed in ((10, canonical), (11, other)):
        first = encode(add(big_r, TWO))
        message, h = search(first, other, lambda h: h % 2 == 1, a_hashed=hashed)
        assert holds(r, add(big_r, TWO), h, TWO)
        how = "canonically" if n == 10 else "as it is"
        vector(n, f"A small and not canonical (x = 0 with sign), R mixed, hashed {how}", False,
               other, message, first, r)


main()
