"""What tests and scripts may hold on to in a page: the values of `data-testid`, and nothing else.

Wording and layout may change; these names do not. Templates write them by `{% testid "NAME" %}`.
"""

from enum import StrEnum


class Element(StrEnum):
    """An element of a page, or several alike (one in each row)."""

    SCHEDULE_GRID = "schedule-grid"
    SCHEDULE_ROW = "schedule-row"
    SCHEDULE_SELECT = "schedule-select"
    SCHEDULE_SELECT_ALL = "schedule-select-all"
    SCHEDULE_CREATE = "schedule-create-button"
    SCHEDULE_IMPORT = "schedule-import-button"
    SCHEDULE_TIMELINE = "schedule-timeline-button"

    SCHEDULE_FILTERS = "schedule-filters"
    SCHEDULE_FILTER_SEARCH = "schedule-filter-search"
    SCHEDULE_FILTER_STATUS = "schedule-filter-schedule-status"
    SCHEDULE_FILTER_EXECUTION = "schedule-filter-execution-status"
    SCHEDULE_FILTER_APPLY = "schedule-filter-apply"
    SCHEDULE_FILTER_CLEAR = "schedule-filter-clear"

    SCHEDULE_STATUS = "schedule-status"
    SCHEDULE_EXECUTION_STATUS = "schedule-execution-status"
    SCHEDULE_TOGGLE = "schedule-toggle"
    SCHEDULE_ACTIONS = "schedule-actions-menu"
    SCHEDULE_RUN = "schedule-action-run"
    SCHEDULE_EDIT = "schedule-action-edit"
    SCHEDULE_HISTORY = "schedule-action-history"
    SCHEDULE_CLEAR = "schedule-action-clear"
    SCHEDULE_BACKFILL = "schedule-action-backfill"
    SCHEDULE_RESTORE = "schedule-action-restore"
    SCHEDULE_DELETE = "schedule-action-delete"

    SCHEDULE_BULK = "schedule-bulk"
    SCHEDULE_BULK_PAUSE = "schedule-bulk-pause"
    SCHEDULE_BULK_RESUME = "schedule-bulk-resume"

    SCHEDULE_DIALOG = "schedule-dialog"
    SCHEDULE_DIALOG_CONFIRM = "schedule-dialog-confirm"
    SCHEDULE_DIALOG_CANCEL = "schedule-dialog-cancel"

    HISTORY_GRID = "history-grid"
    HISTORY_ROW = "history-row"
    HISTORY_FILTERS = "history-filters"
    HISTORY_FILTER_START_DATE = "history-filter-start-date"
    HISTORY_FILTER_START_TIME = "history-filter-start-time"
    HISTORY_FILTER_END_DATE = "history-filter-end-date"
    HISTORY_FILTER_END_TIME = "history-filter-end-time"
    HISTORY_FILTER_OUTCOME = "history-filter-outcome"
    HISTORY_FILTER_APPLY = "history-filter-apply"
    HISTORY_FILTER_CLEAR = "history-filter-clear"

    SCHEDULE_FORM = "schedule-form"
    SCHEDULE_FORM_NAME = "schedule-form-name"
    SCHEDULE_FORM_TASK = "schedule-form-task"
    SCHEDULE_FORM_KWARGS = "schedule-form-kwargs"
    SCHEDULE_FORM_ARGS = "schedule-form-args"
    SCHEDULE_FORM_CRON = "schedule-form-cron"
    SCHEDULE_FORM_ZONE = "schedule-form-zone"
    SCHEDULE_FORM_PRESET = "schedule-form-preset"
    SCHEDULE_FORM_BUILDER = "schedule-form-builder"
    SCHEDULE_FORM_BUILD = "schedule-form-build"
    SCHEDULE_FORM_PREVIEW = "schedule-form-preview"
    SCHEDULE_FORM_SAVE = "schedule-form-save"
    SCHEDULE_PREVIEW = "schedule-preview"
    SCHEDULE_PREVIEW_RUN = "schedule-preview-run"
    SCHEDULE_IMPACT = "schedule-impact"
    SCHEDULE_CONFLICT = "schedule-conflict"

    IMPORT_FORM = "import-form"
    IMPORT_DRY_RUN = "import-dry-run"
    IMPORT_RESULT = "import-result"
    IMPORT_STORE = "import-store"

    BACKFILL_FORM = "backfill-form"
    BACKFILL_DRY_RUN = "backfill-dry-run"
    BACKFILL_RESULT = "backfill-result"
    BACKFILL_RUN = "backfill-run"
