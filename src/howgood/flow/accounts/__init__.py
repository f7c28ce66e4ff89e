"""Who may use the dashboard: accounts, invitations, signing in."""

from howgood.flow.accounts.attempts import Attempt, device_token, may_sign_in, may_try
from howgood.flow.accounts.circle import Circle, circle, invite, remove, renewal_link, setup_link
from howgood.flow.accounts.joining import invitation, join
from howgood.flow.accounts.signing_in import (
    SignedIn,
    change_password,
    sign_in,
    sign_out,
    who,
)

__all__ = [
    "Attempt",
    "Circle",
    "SignedIn",
    "change_password",
    "circle",
    "device_token",
    "invitation",
    "invite",
    "join",
    "may_sign_in",
    "may_try",
    "remove",
    "renewal_link",
    "setup_link",
    "sign_in",
    "sign_out",
    "who",
]
