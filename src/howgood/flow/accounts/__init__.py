"""Who may use the dashboard: accounts, invitations, signing in."""

from howgood.flow.accounts.attempts import Attempt, device_token, may_sign_in, may_try
from howgood.flow.accounts.members import (
    Members,
    invite,
    members,
    remove,
    renewal_link,
    setup_link,
)
from howgood.flow.accounts.signing_in import (
    SignedIn,
    change_password,
    invitation,
    join,
    sign_in,
    sign_out,
    who,
)

__all__ = [
    "Attempt",
    "Members",
    "SignedIn",
    "change_password",
    "device_token",
    "invitation",
    "invite",
    "join",
    "may_sign_in",
    "may_try",
    "members",
    "remove",
    "renewal_link",
    "setup_link",
    "sign_in",
    "sign_out",
    "who",
]
