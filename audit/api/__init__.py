"""The API's doors to the audit trail."""
