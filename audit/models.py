"""The audit trail: append-only, partitioned by month in the database (see the first migration)."""

from django.db import models
from django.db.models.functions import Now

from audit.vocabulary import ROUTINE


class AuditEvent(models.Model):
    """Who did what to what, when; a null actor is the system itself.

    Actor and target are kept as id and label without a foreign key: the trail outlives both.
    """

    id = models.BigAutoField(primary_key=True)
    occurred_at = models.DateTimeField(db_default=Now(), editable=False)
    #: One of vocabulary.EventType; the recorder, the only writer, refuses any other.
    event_type = models.CharField(max_length=40)
    actor_id = models.BigIntegerField(null=True, blank=True)
    actor_label = models.CharField(max_length=150, blank=True, db_default="", default="")
    target_type = models.CharField(max_length=20)
    target_id = models.BigIntegerField(null=True, blank=True)
    target_label = models.CharField(max_length=255, blank=True, db_default="", default="")
    metadata = models.JSONField(db_default={}, default=dict)
    ip_address = models.GenericIPAddressField(null=True, blank=True)
    user_agent = models.CharField(max_length=255, blank=True, db_default="", default="")
    request_id = models.CharField(max_length=64, blank=True, db_default="", default="")

    class Meta:
        indexes = (
            models.Index(fields=["target_type", "target_id", "id"], name="audit_by_target"),
            models.Index(
                fields=["actor_id", "id"],
                condition=models.Q(actor_id__isnull=False),
                name="audit_by_actor",
            ),
            models.Index(
                fields=["event_type", "id"],
                condition=~models.Q(event_type__in=[str(e) for e in ROUTINE]),
                name="audit_by_type",
            ),
        )

    def __str__(self) -> str:
        return f"{self.event_type} {self.target_type} {self.target_id}"

    @property
    def actor_name(self) -> str:
        """The actor's label, with the machine spelled out."""
        return self.actor_label or "system"

    @property
    def facts(self) -> list[tuple[str, object]]:
        """What else is known of the event, for a page to list."""
        return list(self.metadata.items())
