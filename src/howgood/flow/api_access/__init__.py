"""Keys for programs: made, shown once, checked, revoked."""

from howgood.flow.api_access.keys import Issued, bearer, every_token, issue_token, revoke_token

__all__ = ["Issued", "bearer", "every_token", "issue_token", "revoke_token"]
