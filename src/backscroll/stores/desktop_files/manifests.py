"""Manifests: everything that Desktop recorded about a session, sorted into groups for display.

Input: the fields of a row or of a Cowork manifest (`rows.read_fields`).  Output: the values by group and name.  Every
known field has a group and a type.  An unknown field is in the group `other`; a field of an unexpected type is named
as odd.  Lists of names decide which texts are shown: the known fields here, and the names inside their values in
`allowed`.  An unknown field shows only its type and size, unless its value is a number, a flag or a short word.
docs/formats.md, "Fields of a row".
"""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from backscroll.records import Damage
from backscroll.stores.base import FileEntry, Walk
from backscroll.stores.desktop_files.allowed import address, described, only_allowed
from backscroll.stores.desktop_files.rows import session_directories
from backscroll.times import iso, parse

Fields = dict[str, Any]
MOST_FILES = 2000
_LONG = {"systemPrompt", "promptAppendSnapshot", "toolSurfaceSnapshot", "spawnSeed", "otelConfig"}
"""Fields that hold the programs' own text: only its length is shown."""

_TYPES: dict[str, type | tuple[type, ...]] = {
    "text": str,
    "flag": bool,
    "number": (int, float),
    "time": (int, float),
    "list": list,
    "map": dict,
    "prose": object,
    "any": object,
}
"""Texts of the kinds text, list and prose are shown; in map and any only the texts of known names."""
_OWN_KEYS = {"mcqAnswers", "folderMountNames", "resolvedFolderKinds"}
"""Maps whose keys are data: questions, folders."""

_FIELDS = {
    "identity": {
        "text": "sessionId cliSessionId unarchivedCliSessionId preClearCliSessionId title titleSource processName"
        " vmProcessName sessionType accountName emailAddress initialMessage spaceId spaceIdSetBy model effort"
        " effortOverride stagedTranscriptPath agentName color surfaceNoticeUuid",
        "list": "priorCliSessionIds previousTitles slashCommands",
        "time": "createdAt lastActivityAt lastFocusedAt latestUserFrameAt indexedAt",
        "number": "titleTurn completedTurns terminalClaudeTabOrdinal",
        "flag": "isArchived isStarred adoptedFromOtherSurface transcriptUnavailable resumeConfirmed hostLoopMode"
        " memoryEnabled skillsEnabled pluginsEnabled classifierSummaryEnabled autoArchiveExempt ranInSandboxVm"
        " titleSuggestionsOff isRunning",
        "any": "agent effortInherited sessionSettings systemPrompt promptAppendSnapshot otelConfig"
        " toolSurfaceSnapshot spawnSeed systemPromptAppend systemPromptSections titleCheck titleOffers titleFromPr"
        " autoArchiveOnPrClose cliBinaryPin launcherAtSpawn _startedThroughHostCliLauncher transcriptModelStates"
        " transcriptCuts subagentsTruncatedFor",
        "prose": "promptSuggestion importedFrom",
    },
    "folders": {
        "text": "cwd originCwd worktreePath worktreeName branch sourceBranch envScopeId startedFromEnvironmentId"
        " tccFolderKind gitAnchorsFolderRealpath",
        "list": "userSelectedFolders userSelectedProjectUuids writtenBranches",
        "map": "folderMountNames resolvedFolderKinds",
        "flag": "worktreeLazy worktreePinned keptDirtyWorktree gitAnchorsLookupOnly",
        "time": "keptDirtyAt",
        "any": "lastSpawnRootDetected gitAnchors keptWorktreeLeftover scratchPromptRecents scratchOfferFolder"
        " scratchFilesLeftIn scratchCarried",
    },
    "lineage": {
        "text": "forkedFromSessionId forkedAtMessageUuid parentSessionId dispatchParentId dispatchParentOrigin",
        "flag": "lineageDetached",
        "prose": "spawnedFrom",
        "any": "rewindEdges spawnedFromEndNotified",
    },
    "permissions": {
        "text": "permissionMode",
        "list": "alwaysAllowedReasons sessionPermissionUpdates",
        "flag": "bypassChosenInApp autoChosenInApp",
        "time": "cuFlagsGrantedAt",
        "any": "cuAllowedApps cuGrantFlags cuLastScreenshotDims cuSelectedDisplayId autoModeServerFallbackPrompt",
    },
    "browser": {"text": "chromePermissionMode", "list": "chromeAllowedDomains", "any": "chromeTabGroupId"},
    "answers": {"map": "mcqAnswers"},
    "files": {"list": "fsDetectedFiles", "prose": "publishedArtifacts"},
    "approvals": {"list": "userApprovedFileAccessPaths fileDeleteApprovedMounts approvedToolNames"},
    "egress": {"list": "egressAllowedDomains webFetchAllowedUrls"},
    "mcp": {
        "map": "enabledMcpTools",
        "any": "remoteMcpServersConfig withheldConnectorHosts cliMcpAppServerNames setupTools conversationPluginLoaded",
    },
    "schedule": {"text": "scheduledTaskId", "flag": "scheduledRunContinued"},
    "error": {
        "text": "error errorCategory errorVersion",
        "time": "errorAt",
        "number": "contextExceededCount",
        "any": "priorErrorMark queryCrashes",
    },
    "work": {
        "list": "prs cloudSpawnedTasks",
        "map": "postTurnSummary",
        "text": "postTurnSummaryFor lastAssistantUuid",
        "time": "interruptedByQuitAt recapAt",
        "flag": "pendingFirstStart interruptedUnseenResume",
        "prose": "recap reportFindingsCard pendingNotifications turnWrapUp lastTurnReport sideSessionNotes asides"
        " queuedSideSessionNotes backgroundTaskSuggestions resolvedBackgroundTaskSuggestions",
        "any": "armedWorkAtQuit pendingSystemReminder seenCommentIds"
        " autoFixDelivered autoFixNoticeSent sideSessionReportOwed"
        " sideSessionStartsSinceUserMessage sideSessionOffersMuted"
        " turnBoxDeclared turnBoxMounted midTaskReplyTool violinBow"
        " violinBowPrompts violinBowPromptKinds violinBowHomeSettings lanyardOfferPrompt devIntents devIntentTriggers",
    },
    "remote": {
        "text": "sshRemoteTranscriptPath sshRemoteProjectDir cloudSessionId bridgeSessionId",
        "number": "sshLocalTranscriptSize",
        "map": "sshConfig wslConfig sshSubagentSyncedSizes",
        "list": "bridgeSessionIds",
        "flag": "movedToCloud steeredByRemoteClient",
        "time": "sshProcessLossStoodDownAt sshKillRecoveryGrantedAt sshForeignDaemonLossAt",
        "any": "sshRemoteProcessId sshReattach peerInbound peerReceipts remoteControlSpawn remoteControlDescendant"
        " remoteControlAutoEligible remoteControlUserEnabled remoteControlUserToggled remoteControlUserRequested"
        " remoteControlStartChoice",
    },
}
KNOWN = {
    name: (group, kind)
    for group, by_type in _FIELDS.items()
    for kind, names in by_type.items()
    for name in names.split()
}
"""Each known field with its group and its type."""
GROUPS = (*_FIELDS, "other")


class Sorted(NamedTuple):
    """The fields of a row in their groups, and the names of unknown and odd fields."""

    groups: dict[str, Fields]
    unknown: list[str]
    odd: list[str]


def sort_fields(fields: Fields) -> Sorted:
    """Sort the fields of a row into groups; omit empty groups."""
    groups: dict[str, Fields] = {}
    unknown, odd = [], []
    for name, value in fields.items():
        group, kind = KNOWN.get(name) or (_family(name), "any")
        if group == "other":
            unknown.append(name)
        elif value is not None and not _is(kind, value):
            odd.append(name)
        is_unknown = group == "other" and not name.startswith("systemPrompt")
        groups.setdefault(group, {})[name] = described(value) if is_unknown else shown(name, value)
    return Sorted({group: groups[group] for group in GROUPS if group in groups}, unknown, odd)


def _family(name: str) -> str:
    return "remote" if name.startswith("remoteControl") else "other"


def _is(kind: str, value: Any) -> bool:
    is_flag_for_number = kind in ("number", "time") and isinstance(value, bool)
    return isinstance(value, _TYPES[kind]) and not is_flag_for_number


def shown(name: str, value: Any) -> Any:
    """Return the parts of a known field's value that the lists of names allow."""
    _, kind = KNOWN.get(name, ("", "any"))
    if name in _LONG or name.startswith("systemPrompt"):
        return None if value is None else {"characters": len(value if isinstance(value, str) else repr(value))}
    if name == "remoteMcpServersConfig":
        servers = value.get("servers") if isinstance(value, dict) else value
        return [_server(server) for server in servers] if isinstance(servers, list) else None
    if name in ("sshConfig", "wslConfig") and isinstance(value, dict):
        names = ("host", "hostname", "sshHost", "user", "username", "port", "distro", "distribution", "name")
        return {key: value[key] for key in names if isinstance(value.get(key), (str, int))}
    if kind == "time" and _is(kind, value) and (moment := parse(value)) is not None:
        return iso(moment)
    if name == "webFetchAllowedUrls" and isinstance(value, list):
        return [address(url) for url in value if isinstance(url, str)]
    is_told = kind in ("text", "list", "prose") and _is(kind, value)
    return only_allowed(value, is_told=is_told, has_own_keys=name in _OWN_KEYS)


def _server(server: Any) -> Any:
    """Return an MCP server's name, id and the names of its tools; its address may hold a key."""
    if not isinstance(server, dict):
        return None
    tools = server.get("tools")
    named = [tool.get("name") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    shown = {key: server[key] for key in ("name", "uuid", "type") if isinstance(server.get(key), str)}
    return shown | {"tools": [name for name in named if isinstance(name, str)]}


def session_directory(path: str) -> str | None:
    """Return Cowork's directory for the session of a manifest; None if there is none."""
    return next((directory for directory in session_directories(path) if os.path.isdir(directory)), None)


def files_of(directory: str) -> Iterator[tuple[str, FileEntry | Damage]]:
    """Yield the files of a Cowork session with their group, outputs or uploads; open none of them."""
    for kind in ("outputs", "uploads"):
        place = os.path.join(directory, kind)
        if os.path.isdir(place):
            for item in Walk(place, place).below():
                yield kind, item
