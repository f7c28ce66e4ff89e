"""Signing in with an account at an organisation's provider (OpenID Connect).

In: a host, settings, what the provider sends back. Out: where to send a browser, and who came back.
Absent: passwords, and pages.

The authorisation code flow with PKCE: a browser is sent to the provider with a state and a nonce
that are known to that browser alone (signed, in a cookie), and comes back with a code that this
server exchanges itself. What the provider says is believed only with its signature, for us, now and
for this browser. Addresses must be https, except on this machine.
"""

import base64
import hashlib
import json
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from http.client import HTTPException
from typing import Any, cast

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from howgood.errors import InputError
from howgood.flow.accounts import passwords
from howgood.flow.accounts.sign_in import SignedIn, begin_session
from howgood.flow.hosting import Host, tokens
from howgood.records.researcher import ROLES, Researcher, Role
from howgood.settings import Settings
from howgood.store import audit, factors, researchers, sharing

LASTS = timedelta(minutes=10)
_SECONDS, _LARGEST = 10.0, 256 * 1024
_KEEP_SECONDS = 600
# Those that cannot be made with a key that is public.
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]
_LEEWAY = 60
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class ProviderError(InputError):
    """Nobody was signed in; the message names no secret."""

    def __init__(self, found: str, cure: str) -> None:
        super().__init__(
            where="sign-in provider", found=found, needed="a sign-in that can be trusted", cure=cure
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """Where a browser goes, and what it keeps until it is back."""

    address: str
    memory: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Purpose:
    """Why somebody goes to the provider: to sign in, to link an account, to use an invitation."""

    target: str = ""
    researcher: int = 0
    invitation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """Somebody who came back signed in, and where they wanted to go."""

    signed_in: SignedIn
    target: str


def has_provider(settings: Settings) -> bool:
    """Return whether a provider is set."""
    return bool(settings.oidc_issuer and settings.oidc_client)


def depart(
    host: Host, settings: Settings, purpose: Purpose, *, back: str, now: datetime
) -> Departure:
    """Return where a browser has to go to sign in, and what it keeps meanwhile."""
    known = _described(settings.oidc_issuer)
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    query = {
        "response_type": "code",
        "client_id": settings.oidc_client,
        "redirect_uri": back,
        "scope": "openid profile email",
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge.decode().rstrip("="),
        "code_challenge_method": "S256",
    }
    memory = {
        "state": state, "nonce": nonce, "verifier": verifier, "target": purpose.target,
        "researcher": purpose.researcher, "invitation": purpose.invitation,
        "until": int((now + LASTS).timestamp()),
    }  # fmt: skip
    address = _safe_address(known["authorization_endpoint"])
    joint = "&" if "?" in address else "?"
    return Departure(
        address=f"{address}{joint}{urllib.parse.urlencode(query)}", memory=_sealed(host, memory)
    )


def arrive_back(
    host: Host,
    settings: Settings,
    *,
    memory: str,
    query: Mapping[str, str],
    back: str,
    now: datetime,
) -> Returned:
    """Return who came back from the provider, signed in; raise `ProviderError` for anybody else."""
    kept = _opened(host, memory, now)
    if kept is None or not _is_same(query.get("state", ""), str(kept["state"])):
        raise ProviderError(
            "a sign-in that did not begin in this browser, or took too long", "Sign in again."
        )
    if query.get("error") or not query.get("code"):
        raise ProviderError("that the provider signed nobody in", "Sign in again.")
    if query.get("iss", settings.oidc_issuer) != settings.oidc_issuer:
        raise ProviderError("an answer of another provider", "Sign in again.")
    claims = _claims(settings, query["code"], kept, back=back, now=now)
    target = str(kept["target"])
    return Returned(signed_in=_enter(host, settings, claims, kept, now), target=target)


def unlink_provider(host: Host, person: Researcher, *, now: datetime) -> None:
    """Let somebody no longer sign in by the provider, if there is another way left for them."""

    def store(connection: Connection) -> None:
        researcher = researchers.find(connection, person.name)
        has_other = bool(researcher and researcher[1]) or bool(
            factors.passkeys_of(connection, person.number)
        )
        if not has_other:
            text = "This is your only way to sign in: make a passkey first."
            raise InputError(where="provider", found="no other way", needed=text, cure=text)
        if factors.remove_identities(connection, person.number):
            audit.note(connection, actor=person.name, action="provider unlinked", now=now)

    host.database.write(store)


def _enter(
    host: Host, settings: Settings, claims: Mapping[str, Any], kept: Mapping[str, Any],
    now: datetime,
) -> SignedIn:  # fmt: skip
    """Find, link or make the account of who came back."""
    issuer, subject = settings.oidc_issuer, str(claims["sub"])

    def store(connection: Connection) -> SignedIn:
        known = factors.identity(connection, issuer, subject)
        if known is not None and kept["researcher"] in (0, known.number):
            person = known
        elif known is not None:
            raise ProviderError(
                "an account that belongs to somebody else here", "Use another account there."
            )
        else:
            person = _newly_known(connection, settings, claims, kept, now)
            factors.add_identity(
                connection, researcher=person.number, issuer=issuer, subject=subject, now=now
            )
            audit.note(connection, actor=person.name, action="provider linked", now=now)
        detail = {"by": "provider"}
        audit.note(connection, actor=person.name, action="signed in", detail=detail, now=now)
        return begin_session(connection, person, now=now)

    try:
        return host.database.write(store)
    except IntegrityError as error:  # two browsers at once: the other one made the account
        raise ProviderError("that the account is being made already", "Sign in again.") from error


def _newly_known(
    connection: Connection, settings: Settings, claims: Mapping[str, Any], kept: Mapping[str, Any],
    now: datetime,
) -> Researcher:  # fmt: skip
    """Return the account to link: the one that is signed in, or a new one that may be made."""
    if kept["researcher"]:
        for person in researchers.everyone(connection):
            if person.number == kept["researcher"]:
                return person
    role: Role | None = next((role for role in ROLES if role == settings.oidc_role), None)
    study, study_role = None, None
    if kept["invitation"]:
        used = researchers.use_invitation(
            connection, tokens.digest(str(kept["invitation"])), now=now
        )
        if used is None:
            raise ProviderError("an invitation that was used or has expired", "Ask for another.")
        role, study, study_role = used.role, used.study, used.study_role
    if role is None:
        raise ProviderError(
            "nobody with an account here",
            "Ask an owner for an invitation, or sign in with your password and link this account "
            "on the page “Ways to sign in”.",
        )
    name = _free_name(connection, claims)
    person = researchers.add(connection, name=name, password_hash="", role=role, now=now)
    if study is not None and study_role is not None:
        sharing.give_role(connection, study, study_role, researcher=person.number, now=now)
    audit.note(connection, actor=name, action="joined", detail={"role": role}, now=now)
    return person


def _free_name(connection: Connection, claims: Mapping[str, Any]) -> str:
    """Return a name for a new account: nobody takes over an account by its name."""
    wished = (claims.get(key) for key in ("preferred_username", "email", "name", "sub"))
    cleaned = [passwords.clean_name(str(text))[:60] for text in wished if text]
    first = next((name for name in cleaned if not passwords.name_problem(name)), "somebody")
    name, count = first, 1
    while researchers.find(connection, name) is not None:
        count += 1
        name = f"{first} {count}"
    return name


def _claims(
    settings: Settings, code: str, kept: Mapping[str, Any], *, back: str, now: datetime
) -> Mapping[str, Any]:
    """Exchange the code and return what the provider says, signed, about who came."""
    known = _described(settings.oidc_issuer)
    form = {
        "grant_type": "authorization_code", "code": code, "redirect_uri": back,
        "client_id": settings.oidc_client, "code_verifier": str(kept["verifier"]),
    }  # fmt: skip
    head = {}
    if settings.oidc_secret:
        pair = ":".join(
            urllib.parse.quote(part, safe="")
            for part in (settings.oidc_client, settings.oidc_secret)
        )
        head = {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
    given = _asked(_safe_address(known["token_endpoint"]), form=form, head=head)
    token = given.get("id_token")
    if not isinstance(token, str):
        raise ProviderError("an answer without an identity", "Is this an OpenID provider?")
    return _checked(settings, token, str(kept["nonce"]), now)


def _checked(settings: Settings, token: str, nonce: str, now: datetime) -> Mapping[str, Any]:
    from joserfc import jwk, jwt
    from joserfc.errors import JoseError

    keys_address = _safe_address(_described(settings.oidc_issuer)["jwks_uri"])
    published = cast("jwk.KeySetSerialization", _kept_keys(keys_address, _minutes()))
    try:
        keys = jwk.KeySet.import_key_set(published)
        claims = jwt.decode(token, keys, algorithms=_ALGORITHMS).claims
    # Keys come from outside: what is no set of keys is refused like a wrong signature.
    except (JoseError, ValueError, LookupError, TypeError) as error:
        raise ProviderError(
            f"an identity whose signature does not hold ({type(error).__name__})", "Sign in again."
        ) from None
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    party = claims.get("azp", settings.oidc_client)
    moment = now.timestamp()
    is_ours = settings.oidc_client in audiences and party == settings.oidc_client
    is_now = (
        _number(claims.get("exp")) > moment - _LEEWAY
        and _number(claims.get("iat")) < moment + _LEEWAY
    )
    is_theirs = claims.get("iss") == settings.oidc_issuer and bool(claims.get("sub"))
    is_answer = _is_same(str(claims.get("nonce", "")), nonce)
    if not (is_ours and is_now and is_theirs and is_answer):
        raise ProviderError("an identity that is not for this sign-in", "Sign in again.")
    return claims


def _is_same(given: str, expected: str) -> bool:
    """Compare what came from outside, whatever letters it has, in equal time."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), expected.encode())


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def _described(issuer: str) -> Mapping[str, Any]:
    """Return what the provider says about itself, asked at most every ten minutes."""
    return _kept_description(issuer, _minutes())


def _minutes() -> int:
    return int(time.monotonic()) // _KEEP_SECONDS


@lru_cache(maxsize=4)
def _kept_description(issuer: str, _age: int) -> Mapping[str, Any]:
    address = _safe_address(issuer.rstrip("/") + "/.well-known/openid-configuration")
    known = _asked(address)
    needed = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    if known.get("issuer") != issuer or not all(isinstance(known.get(n), str) for n in needed):
        raise ProviderError(
            "a provider that describes itself as another",
            "Write HOWGOOD_OIDC_ISSUER exactly as the provider's own description says it.",
        )
    return known


@lru_cache(maxsize=4)
def _kept_keys(address: str, _age: int) -> Mapping[str, Any]:
    return _asked(address)


def _safe_address(address: str) -> str:
    parts = urllib.parse.urlsplit(address)
    is_near = parts.scheme == "http" and parts.hostname in _LOOPBACK
    if not (is_near or parts.scheme == "https") or not parts.hostname:
        raise ProviderError("an address that is not https", "Name the provider by https://.")
    return address


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect of the provider is not followed: the code and our secret are for it alone."""

    def redirect_request(self, *_given: object, **_named: object) -> None:
        """Follow nowhere."""


def _asked(
    address: str, *, form: Mapping[str, str] | None = None, head: Mapping[str, str] | None = None
) -> Mapping[str, Any]:
    """Return the JSON object at an address, or that of sending a form there."""
    body = urllib.parse.urlencode(form).encode() if form is not None else None
    request = urllib.request.Request(  # noqa: S310 - https, or this machine: checked by the caller
        address, data=body, headers={"Accept": "application/json", **(head or {})}
    )
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=_SECONDS) as answer:
            content = json.loads(answer.read(_LARGEST))
    except (urllib.error.URLError, HTTPException, OSError, ValueError) as error:
        raise ProviderError(
            f"a provider that does not answer as it should ({type(error).__name__})",
            "Try again; if it stays, look at HOWGOOD_OIDC_ISSUER, _CLIENT and _SECRET.",
        ) from None
    if not isinstance(content, dict):
        raise ProviderError("an answer that is no JSON object", "Is this an OpenID provider?")
    return content


def _sealed(host: Host, memory: Mapping[str, Any]) -> str:
    text = base64.urlsafe_b64encode(json.dumps(memory).encode()).decode()
    return f"{text}.{tokens.signature(host.key, 'provider', text)}"


def _opened(host: Host, sealed: str, now: datetime) -> Mapping[str, Any] | None:
    text, _, signature = sealed.rpartition(".")
    if not tokens.is_signed(host.key, signature, "provider", text):
        return None
    memory: Mapping[str, Any] = json.loads(base64.urlsafe_b64decode(text))
    return memory if memory["until"] >= now.timestamp() else None
