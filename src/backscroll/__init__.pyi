# The public names of backscroll, for type checkers.
# Written by scripts/write_public_names.py from the table in __init__.py; change that, then run `make docs`.

from backscroll.archive.model import ArchivedFact as ArchivedFact
from backscroll.archive.model import ArchivedFile as ArchivedFile
from backscroll.archive.model import ArchivedVersion as ArchivedVersion
from backscroll.archive.model import ArchiveStatus as ArchiveStatus
from backscroll.archive.model import ArchiveTimer as ArchiveTimer
from backscroll.archive.model import Installation as Installation
from backscroll.archive.model import Mirroring as Mirroring
from backscroll.archive.model import Pruning as Pruning
from backscroll.archive.model import Repair as Repair
from backscroll.archive.model import Restoration as Restoration
from backscroll.archive.model import Restored as Restored
from backscroll.archive.model import SchedulerCommand as SchedulerCommand
from backscroll.archive.model import Verification as Verification
from backscroll.archive.sources import SkippedFile as SkippedFile
from backscroll.archive.sources import SyncReport as SyncReport
from backscroll.changes.journal import JournalSummary as JournalSummary
from backscroll.changes.plan import ChangePlan as ChangePlan
from backscroll.changes.plan import PlanStep as PlanStep
from backscroll.errors import BackscrollError as BackscrollError
from backscroll.errors import BusyError as BusyError
from backscroll.errors import ConflictError as ConflictError
from backscroll.errors import CorruptError as CorruptError
from backscroll.errors import NotFoundError as NotFoundError
from backscroll.errors import QueryError as QueryError
from backscroll.errors import RefusedError as RefusedError
from backscroll.errors import UnreadableError as UnreadableError
from backscroll.formats.chromium.records import StorageRecord as StorageRecord
from backscroll.formats.state import State as StorageState
from backscroll.functions import accounts as accounts
from backscroll.functions import archive_facts as archive_facts
from backscroll.functions import archive_files as archive_files
from backscroll.functions import archive_import as archive_import
from backscroll.functions import archive_install as archive_install
from backscroll.functions import archive_list as archive_list
from backscroll.functions import archive_mirror as archive_mirror
from backscroll.functions import archive_prune as archive_prune
from backscroll.functions import archive_repair as archive_repair
from backscroll.functions import archive_restore as archive_restore
from backscroll.functions import archive_status as archive_status
from backscroll.functions import archive_sync as archive_sync
from backscroll.functions import archive_uninstall as archive_uninstall
from backscroll.functions import archive_verify as archive_verify
from backscroll.functions import archive_versions as archive_versions
from backscroll.functions import blame as blame
from backscroll.functions import calls as calls
from backscroll.functions import compare_flags as compare_flags
from backscroll.functions import cowork as cowork
from backscroll.functions import doctor as doctor
from backscroll.functions import doctor_fix as doctor_fix
from backscroll.functions import drift as drift
from backscroll.functions import drift_json_schema as drift_json_schema
from backscroll.functions import flags as flags
from backscroll.functions import list_files as list_files
from backscroll.functions import list_sessions as list_sessions
from backscroll.functions import list_stores as list_stores
from backscroll.functions import log_files as log_files
from backscroll.functions import logs as logs
from backscroll.functions import marks as marks
from backscroll.functions import mcp_servers as mcp_servers
from backscroll.functions import media as media
from backscroll.functions import messages as messages
from backscroll.functions import outline as outline
from backscroll.functions import overview as overview
from backscroll.functions import raw as raw
from backscroll.functions import recover as recover
from backscroll.functions import recover_content as recover_content
from backscroll.functions import recover_diff as recover_diff
from backscroll.functions import recover_files as recover_files
from backscroll.functions import recover_search as recover_search
from backscroll.functions import resume as resume
from backscroll.functions import schedules as schedules
from backscroll.functions import search as search
from backscroll.functions import search_index as search_index
from backscroll.functions import session_patch as session_patch
from backscroll.functions import show as show
from backscroll.functions import storage as storage
from backscroll.functions import timeline as timeline
from backscroll.functions import tools as tools
from backscroll.functions import transfer_copy as transfer_copy
from backscroll.functions import transfer_log as transfer_log
from backscroll.functions import transfer_pack as transfer_pack
from backscroll.functions import transfer_pins as transfer_pins
from backscroll.functions import transfer_project as transfer_project
from backscroll.functions import transfer_resume as transfer_resume
from backscroll.functions import transfer_row as transfer_row
from backscroll.functions import transfer_undo as transfer_undo
from backscroll.functions import transfer_unpack as transfer_unpack
from backscroll.functions import tree as tree
from backscroll.functions import update_index as update_index
from backscroll.functions import usage as usage
from backscroll.functions import usage_audit as usage_audit
from backscroll.functions import watch as watch
from backscroll.functions import worktrees as worktrees
from backscroll.health.model import CheckedAmount as CheckedAmount
from backscroll.health.model import HealthFinding as HealthFinding
from backscroll.health.model import HealthReport as HealthReport
from backscroll.index.progress import Progress as Progress
from backscroll.index.progress import Report as Report
from backscroll.index.search.search import Options as Options
from backscroll.inventory.report import Check as Check
from backscroll.inventory.report import CheckedField as CheckedField
from backscroll.inventory.report import Drift as Drift
from backscroll.inventory.report import FieldUse as FieldUse
from backscroll.inventory.report import TypeUse as TypeUse
from backscroll.inventory.report import Unknown as Unknown
from backscroll.library import Library as Library
from backscroll.library import open_library as open
from backscroll.place import Place as Place
from backscroll.query.hits import DayCount as DayCount
from backscroll.query.hits import Found as Found
from backscroll.query.hits import Hit as Hit
from backscroll.records import Damage as Damage
from backscroll.records import Json as Json
from backscroll.records import Note as Note
from backscroll.recovery.model import Blame as Blame
from backscroll.recovery.model import BlameLine as BlameLine
from backscroll.recovery.model import FileHistory as FileHistory
from backscroll.recovery.model import FileList as FileList
from backscroll.recovery.model import FileSummary as FileSummary
from backscroll.recovery.model import Match as Match
from backscroll.recovery.model import Recovered as Recovered
from backscroll.recovery.model import Version as Version
from backscroll.recovery.model import WritePlan as WritePlan
from backscroll.recovery.model import Written as Written
from backscroll.sessions.desktop_model import Account as Account
from backscroll.sessions.desktop_model import Accounts as Accounts
from backscroll.sessions.desktop_model import AuditTrail as AuditTrail
from backscroll.sessions.desktop_model import Counter as Counter
from backscroll.sessions.desktop_model import LogLine as LogLine
from backscroll.sessions.desktop_model import Manifest as Manifest
from backscroll.sessions.desktop_model import McpServer as McpServer
from backscroll.sessions.desktop_model import Permission as Permission
from backscroll.sessions.desktop_model import Run as Run
from backscroll.sessions.desktop_model import Schedule as Schedule
from backscroll.sessions.desktop_model import SessionFile as SessionFile
from backscroll.sessions.desktop_model import SignedIn as SignedIn
from backscroll.sessions.desktop_model import Workspace as Workspace
from backscroll.sessions.joining.marks import DesktopMarks as DesktopMarks
from backscroll.sessions.joining.marks import Group as Group
from backscroll.sessions.joining.marks import Marks as Marks
from backscroll.sessions.joining.marks import Source as Source
from backscroll.sessions.message import Message as Message
from backscroll.sessions.message import Part as Part
from backscroll.sessions.model import Branch as Branch
from backscroll.sessions.model import Call as Call
from backscroll.sessions.model import Result as Result
from backscroll.sessions.model import Transcript as Transcript
from backscroll.sessions.model import TreeNode as TreeNode
from backscroll.sessions.page import MessagePage as MessagePage
from backscroll.sessions.page import Outline as Outline
from backscroll.sessions.page import OutlineItem as OutlineItem
from backscroll.sessions.session import Agent as Agent
from backscroll.sessions.session import DesktopRow as DesktopRow
from backscroll.sessions.session import Session as Session
from backscroll.sessions.session import SessionList as SessionList
from backscroll.sessions.session import SessionMarks as SessionMarks
from backscroll.sessions.session import Usage as Usage
from backscroll.sessions.summaries import Media as Media
from backscroll.sessions.summaries import Overview as Overview
from backscroll.sessions.summaries import StoreAccount as StoreAccount
from backscroll.sessions.summaries import StoreSummary as StoreSummary
from backscroll.sessions.summaries import UnreadFile as UnreadFile
from backscroll.stats.model import Amount as Amount
from backscroll.stats.model import Audit as Audit
from backscroll.stats.model import AuditMessage as AuditMessage
from backscroll.stats.model import Burn as Burn
from backscroll.stats.model import Comparison as Comparison
from backscroll.stats.model import ContextPoint as ContextPoint
from backscroll.stats.model import CopiedFrom as CopiedFrom
from backscroll.stats.model import ModelDifference as ModelDifference
from backscroll.stats.model import Timeline as Timeline
from backscroll.stats.model import ToolReport as ToolReport
from backscroll.stats.model import ToolUse as ToolUse
from backscroll.stats.model import Turn as Turn
from backscroll.stats.model import Unpriced as Unpriced
from backscroll.stats.model import UsageReport as UsageReport
from backscroll.stats.model import UsageRow as UsageRow
from backscroll.stores.desktop_files.flags import Flag as Flag
from backscroll.stores.desktop_files.flags import FlagChange as FlagChange
from backscroll.stores.desktop_files.flags import FlagDifference as FlagDifference
from backscroll.stores.desktop_files.flags import FlagReport as FlagReport
from backscroll.stores.desktop_files.storage import Storage as Storage
from backscroll.stores.desktop_files.worktrees import Worktree as Worktree
from backscroll.stores.desktop_files.worktrees import WorktreeReport as WorktreeReport
from backscroll.transfer.model import LeftOut as LeftOut
from backscroll.transfer.model import Packed as Packed
from backscroll.transfer.model import Resumption as Resumption
from backscroll.transfer.model import RowCopies as RowCopies
from backscroll.transfer.model import Unpacking as Unpacking
from backscroll.verbs.search import SearchFunction as SearchFunction
from backscroll.version import __version__ as __version__

__all__ = [
    "Account",
    "Accounts",
    "Agent",
    "Amount",
    "ArchiveStatus",
    "ArchiveTimer",
    "ArchivedFact",
    "ArchivedFile",
    "ArchivedVersion",
    "Audit",
    "AuditMessage",
    "AuditTrail",
    "BackscrollError",
    "Blame",
    "BlameLine",
    "Branch",
    "Burn",
    "BusyError",
    "Call",
    "ChangePlan",
    "Check",
    "CheckedAmount",
    "CheckedField",
    "Comparison",
    "ConflictError",
    "ContextPoint",
    "CopiedFrom",
    "CorruptError",
    "Counter",
    "Damage",
    "DayCount",
    "DesktopMarks",
    "DesktopRow",
    "Drift",
    "FieldUse",
    "FileHistory",
    "FileList",
    "FileSummary",
    "Flag",
    "FlagChange",
    "FlagDifference",
    "FlagReport",
    "Found",
    "Group",
    "HealthFinding",
    "HealthReport",
    "Hit",
    "Installation",
    "JournalSummary",
    "Json",
    "LeftOut",
    "Library",
    "LogLine",
    "Manifest",
    "Marks",
    "Match",
    "McpServer",
    "Media",
    "Message",
    "MessagePage",
    "Mirroring",
    "ModelDifference",
    "NotFoundError",
    "Note",
    "Options",
    "Outline",
    "OutlineItem",
    "Overview",
    "Packed",
    "Part",
    "Permission",
    "Place",
    "PlanStep",
    "Progress",
    "Pruning",
    "QueryError",
    "Recovered",
    "RefusedError",
    "Repair",
    "Report",
    "Restoration",
    "Restored",
    "Result",
    "Resumption",
    "RowCopies",
    "Run",
    "Schedule",
    "SchedulerCommand",
    "SearchFunction",
    "Session",
    "SessionFile",
    "SessionList",
    "SessionMarks",
    "SignedIn",
    "SkippedFile",
    "Source",
    "Storage",
    "StorageRecord",
    "StorageState",
    "StoreAccount",
    "StoreSummary",
    "SyncReport",
    "Timeline",
    "ToolReport",
    "ToolUse",
    "Transcript",
    "TreeNode",
    "Turn",
    "TypeUse",
    "Unknown",
    "Unpacking",
    "Unpriced",
    "UnreadFile",
    "UnreadableError",
    "Usage",
    "UsageReport",
    "UsageRow",
    "Verification",
    "Version",
    "Workspace",
    "Worktree",
    "WorktreeReport",
    "WritePlan",
    "Written",
    "__version__",
    "accounts",
    "archive_facts",
    "archive_files",
    "archive_import",
    "archive_install",
    "archive_list",
    "archive_mirror",
    "archive_prune",
    "archive_repair",
    "archive_restore",
    "archive_status",
    "archive_sync",
    "archive_uninstall",
    "archive_verify",
    "archive_versions",
    "blame",
    "calls",
    "compare_flags",
    "cowork",
    "doctor",
    "doctor_fix",
    "drift",
    "drift_json_schema",
    "flags",
    "list_files",
    "list_sessions",
    "list_stores",
    "log_files",
    "logs",
    "marks",
    "mcp_servers",
    "media",
    "messages",
    "open",
    "outline",
    "overview",
    "raw",
    "recover",
    "recover_content",
    "recover_diff",
    "recover_files",
    "recover_search",
    "resume",
    "schedules",
    "search",
    "search_index",
    "session_patch",
    "show",
    "storage",
    "timeline",
    "tools",
    "transfer_copy",
    "transfer_log",
    "transfer_pack",
    "transfer_pins",
    "transfer_project",
    "transfer_resume",
    "transfer_row",
    "transfer_undo",
    "transfer_unpack",
    "tree",
    "update_index",
    "usage",
    "usage_audit",
    "watch",
    "worktrees",
]
