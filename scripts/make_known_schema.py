"""Write src/backscroll/inventory/known.json: the types of records and fields that are known, for `backscroll drift`.

    python scripts/make_known_schema.py [DIR …]

The lists below come from 23 versions of Claude Code, from 0.2.9 to 2.1.326, and from public notes on Desktop and
Cowork; see docs/formats.md.  DIR are homes or configuration directories with transcripts that a real Claude Code wrote
(../shared/corpus/cli/*, and the home of tests/test_real_cli_walk.py): the fields and types of values in them are
added to those that known.json has from earlier runs.
"""

import json
import sys
from pathlib import Path

from backscroll.inventory.counting import OTHERS, Inventory
from backscroll.inventory.known import known_types
from backscroll.inventory.reading import KINDS, NO_TYPE, count_file
from backscroll.stores.base import FoundFile
from backscroll.stores.find import find_stores

PATH = Path(__file__).parent.parent / "src" / "backscroll" / "inventory" / "known.json"

TREE = """parentUuid isSidechain userType cwd sessionId version type uuid timestamp gitBranch agentId slug entrypoint
    forkedFrom logicalParentUuid teamName agentName sessionKind session_id isMeta promptId parentToolUseID"""

# Record types with the fields that they have besides those of TREE, or instead of them.
RECORDS = {
    "user": TREE
    + """ message toolUseResult isCompactSummary isVisibleInTranscriptOnly thinkingMetadata todos
        sourceToolAssistantUUID sourceToolUseID permissionMode origin promptSource interruptedMessageId toolDenialKind
        userFeedback turnOrigin turnPosition permissionDecision sandboxed mcpMeta mcpCallNotReadOnly
        queueSkipAttachments queueTranscriptOnly turnCompanion planContent imagePasteIds summarizeMetadata
        serverClassifierContext classifierMetaLines""",
    "assistant": TREE
    + """ message requestId costUSD durationMs isApiErrorMessage error errorDetails apiErrorStatus apiErrorType
        apiBlockIndex attributionAgent attributionSkill attributionPlugin attributionMcpServer attributionMcpTool
        wireToolInputs wireIngestContext requestRef requestedModel promptCacheRequested effort perTurnEffort madeBy
        thinkingDisplay thinkingDurationMs toolInputStreamMs advisorModel failedResponseHadNoToolCall
        requestSessionId""",
    "system": TREE
    + """ content level subtype toolUseID compactMetadata microcompactMetadata commandRun error cause retryInMs
        retryAttempt maxRetries hookCount hookInfos hookErrors hookAdditionalContext preventedContinuation stopReason
        hasOutput durationMs messageCount pendingBackgroundAgentCount writtenPaths url commands snapshotFiles
        apiRefusalCategory apiRefusalCyberVerification apiRefusalExplanation fallbackModel originalModel
        refusedUserMessageUuid direction pendingWorkflowCount summary""",
    "attachment": TREE + " attachment rendered renderedRole renderedBesideToolResult",
    "progress": TREE + " data toolUseID",
    "summary": "type summary leafUuid",
    "custom-title": "type sessionId customTitle uuid timestamp",
    "ai-title": "type sessionId aiTitle",
    "tag": "type sessionId tag",
    "agent-name": "type sessionId agentName",
    "agent-color": "type sessionId agentColor",
    "agent-setting": "type sessionId agentSetting",
    "mode": "type sessionId mode",
    "permission-mode": "type sessionId permissionMode",
    "repl-mode": "type sessionId replMode",
    "memory-mode": "type sessionId mode afterUuid timestamp",
    "dev-mods": "type sessionId folder",
    "last-prompt": "type sessionId lastPrompt leafUuid explicit",
    "pr-link": "type sessionId prNumber prUrl prRepository timestamp",
    "worktree-state": "type sessionId worktreeSession",
    "relocated": "type sessionId relocatedCwd",
    "queue-operation": "type sessionId operation timestamp content commandUuid deliveryId reason",
    "file-history-snapshot": "type messageId snapshot isSnapshotUpdate",
    "file-history-delta": "type messageId snapshotMessageId trackingPath backup timestamp",
    "content-replacement": "type sessionId agentId replacements",
    "attribution-snapshot": None,
    "speculation-accept": "type sessionId timestamp timeSavedMs",
    "task-summary": "type sessionId summary timestamp",
    "marble-origami-commit": None,
    "marble-origami-snapshot": None,
    "fork-context-ref": "type agentId parentSessionId parentLastUuid contextLength",
    "bridge-session": """type sessionId bridgeSessionId lastSequenceNum ownerAccountUuid ownerOrganizationUuid
        declaredDialogKinds sessionGroupingId""",
    "isolation-latch": "type sessionId side",
    "atis-latch": "type sessionId atis",
    "frame-link": "type sessionId path frameUrl title artifactCount timestamp",
    "ended-by-model": "type sessionId timestamp",
    "cost-state": """type sessionId totalCostUSD totalAPIDuration totalAPIDurationWithoutRetries totalToolDuration
        totalDuration totalLinesAdded totalLinesRemoved startTime modelUsage hasUnknownModelCost""",
    "history-suppression": "type sessionId cause ts",
    "observer-ref": None,
    "artifact-comment-monitor": "type sessionId v artifacts",
    "artifact-autoreact-ledger": "type sessionId v accountUuid artifacts",
    "continued-in": "type sessionId continuedInSessionId timestamp",
    "derived-from": "type sessionId v sessions",
    "session-owner": "type sessionId accountUuid organizationUuid",
    "tools-used": "type sessionId tools",
    "data-flow-records": "type sessionId v agentId records",
    "data-flow-incomplete": "type sessionId v agentId",
    "resume-head-vouch": "type sessionId sum",
    "api-request-shape": "type sessionId shapeHash shape timestamp version agentId",
    "api-request-blob": "type sessionId hash message agentId",
    "api-request": """type sessionId id querySource shapeHash params base keep tail cacheControl requestDigest
        timestamp version agentId""",
    "api-request-resumed": """type sessionId agentId timestamp version messageId pausedRequestId resumedRequestId
        requestRef requestNotRecorded requestHookChanged""",
    "checkpoint": "type sessionId commit timestamp label",
    "late-allow-ended": None,
    "agent_metadata": None,
}

# Parts of records.
PARTS = {
    "message": """id type role model content stop_reason stop_sequence stop_details usage container context_management
        diagnostics""",
    "usage": """input_tokens cache_creation_input_tokens cache_read_input_tokens cache_creation output_tokens
        output_tokens_details server_tool_use service_tier inference_geo iterations speed fallback_credit""",
    "block/text": "type text citations cache_control",
    "block/thinking": "type thinking signature",
    "block/redacted_thinking": "type data",
    "block/tool_use": "type id name input caller cache_control",
    "block/tool_result": "type tool_use_id content is_error cache_control",
    "block/image": "type source cache_control",
    "block/document": "type source title context citations cache_control",
    "block/server_tool_use": "type id name input caller",
    "block/mcp_tool_use": None,
    "block/mcp_tool_result": None,
    "block/container_upload": None,
    "block/fallback": None,
    "block/tool_reference": "type tool_name",
    "block/search_result": None,
}
KNOWN_BY_NAME = {
    "block": """web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result
        text_editor_code_execution_tool_result tool_search_tool_result""",
    "system": f"""{NO_TYPE.replace(" ", "_")} compact_boundary microcompact_boundary local_command api_error
        stop_hook_summary turn_duration informational memory_saved bridge_status away_summary agents_killed
        permission_request permission_response permission_auto_approved permission_auto_denied
        permission_retry scheduled_task_fire model_fallback model_refusal_fallback cloud_session_status file_snapshot
        rewind_stand_in instruction_size_warning late_allow_not_run
        init status task_started hook_started files_persisted""",
    "attachment": """queued_command file edited_text_file compact_file_reference already_read_file pdf_reference
        directory
        hook_success hook_blocking_error hook_non_blocking_error hook_additional_context hook_system_message
        hook_cancelled hook_stopped_continuation hook_permission_decision async_hook_response todo_reminder
        task_reminder task_status plan_mode plan_mode_exit plan_mode_reentry plan_file_reference nested_memory
        relevant_memories instructions invoked_skills skill_listing agent_listing_delta deferred_tools_delta
        mcp_instructions_delta command_permissions environment model date session_context remote_session_change
        auto_mode auto_mode_exit prompt_snapshot silent_turn_reminder credential_org total_tokens_reminder
        thinking_drop structured_output goal_status date_change agent_mention hook_deferred_tool
        hook_error_during_execution max_turns_reached teammate_mailbox team_context ide_selection opened_file_in_ide
        selected_lines_in_ide diagnostics budget_usd output_style ultrathink_effort
        companion_intro plugin_note prompt_as_file whole_texts_withdrawn
        account_memory_recall advisor_stripped advisor_tool agent_ask_notice artifact_opening_prefetch
        async_hook_response_batch at_mention_reference attention_budget bash_output_audience_note
        batching_reminder batching_reminder_sent claude_app_notice context_efficiency context_sections
        coordinator_context cowork_memory_context critical_system_reminder deferred_tools_record dir_sync_notice
        dynamic_skill edited_image_file elapsed_time_reminder fork_briefing goals hook_plugin_listing
        inlined_image_paths instruction_files_not_loaded language linked_plugin_tools_note
        mcp_dropped_tools_delta mcp_resource memory_update message_pdf_reads output_limit_note
        output_style_instructions output_token_usage peer_mention poll_events prefix_delta proactivity
        project_doc_reads projects_thread_ask prompt_render_point read_truncation_notice repl_mcp_needs_auth
        repl_mcp_servers sandbox_instructions secondary_reminder secondary_reminder_sent selected_lines_in_diff
        session_cron_carry skill_mention teammate_shutdown_batch thinking_stripped thread_state token_usage
        tool_host_result_lines tool_hosts_correction tool_hosts_notice tool_offer_record tool_results_cut
        tool_search_usage_reminder ultra_effort_enter ultra_effort_exit unknown_command_fallback
        widget_context_hint withheld_memory workflow_keyword_request workflow_size_guideline_change""",
    "progress": """hook_progress agent_progress bash_progress mcp_progress waiting_for_task query_update
        search_results_received""",
    "audit": """system user assistant result rate_limit_event tool_use_summary permission_request permission_response
        permission_auto_approved permission_auto_denied stream_event""",
}

# Objects inside records and parts, by the path that leads to them.
NESTED = {
    "file-history-snapshot.snapshot": "messageId trackedFileBackups timestamp hasUntrackedChanges",
    "file-history-delta.backup": "backupFileName version backupTime realParentDir",
    "worktree-state.worktreeSession": """originalCwd preEnterOriginalCwd worktreePath worktreeName worktreeBranch
        originalBranch originalHeadCommit sessionId tmuxSessionName hookBased enteredExisting madeElsewhere
        extensionRoot""",
    "api-request-resumed.requestHookChanged": "record what",
    "content-replacement.replacements[]": "kind toolUseId replacement",
    "user.forkedFrom": "sessionId messageUuid",
    "assistant.forkedFrom": "sessionId messageUuid",
    "system.forkedFrom": "sessionId messageUuid",
    "attachment.forkedFrom": "sessionId messageUuid",
    "user.origin": "kind",
    "user.thinkingMetadata": "level disabled triggers maxThinkingTokens",
    "user.todos[]": "content status activeForm priority id",
    "user.turnPosition": "promptIndex turnIndex",
    "user.permissionDecision": "decision source reasonType",
    "user.mcpMeta": "structuredContent _meta",
    "system.compactMetadata": """trigger preTokens postTokens cumulativeDroppedTokens durationMs userContext
        messagesSummarized preservedSegment preservedMessages preCompactDiscoveredTools preCompactOrganizations
        preCompactOrganizationsCoverStart""",
    "system.compactMetadata.preservedSegment": "headUuid anchorUuid tailUuid",
    "system.compactMetadata.preservedMessages": "anchorUuid uuids allUuids",
    "system.microcompactMetadata": "trigger preTokens tokensSaved compactedToolIds clearedAttachmentUUIDs",
    "system.commandRun": "command args",
    "system.hookInfos[]": "command durationMs",
    "system.snapshotFiles[]": "key path content",
    "usage.cache_creation": "ephemeral_5m_input_tokens ephemeral_1h_input_tokens",
    "usage.output_tokens_details": "thinking_tokens",
    "usage.server_tool_use": "web_search_requests web_fetch_requests",
    "block/image.source": "type media_type data url file_id",
    "block/document.source": "type media_type data url file_id content",
    "attachment/auto_mode": "type reminderType",
    "attachment/queued_command": """type prompt commandMode source_uuid origin delivery_id timestamp
        imagePasteIds isMeta""",
    "attachment/prompt_as_file": "type promptUuid path",
    "attachment/session_context.context": "gitStatus userEmail",
    "attachment/queued_command.origin": "kind",
    "project-index.entries[]": """sessionId fullPath fileMtime firstPrompt summary messageCount created modified
        gitBranch projectPath isSidechain""",
    "desktop-row.spawnedFrom": "sessionId taskId title",
    "desktop-row.prs[]": "prNumber url repo state branch",
}
# Objects whose names, or whose shape, are data: paths, models, ids, inputs of tools, settings of users.
MAPS = """user.toolUseResult user.toolUseResult[] audit/user.tool_use_result audit/user.toolUseResult
    user.mcpMeta.structuredContent user.mcpMeta._meta
    user.summarizeMetadata user.serverClassifierContext
    assistant.wireToolInputs assistant.wireIngestContext system.error system.cause system.commands
    file-history-snapshot.snapshot.trackedFileBackups cost-state.modelUsage tools-used.tools[]
    message.diagnostics message.context_management message.container message.stop_details
    usage.iterations[] usage.fallback_credit
    block/tool_use.input block/tool_use.caller block/server_tool_use.input block/server_tool_use.caller
    block/text.citations[] block/document.citations block/text.cache_control block/tool_use.cache_control
    block/tool_result.cache_control block/image.cache_control block/document.cache_control
    api-request.params api-request.cacheControl[] api-request-shape.shape data-flow-records.records[]
    artifact-comment-monitor.artifacts artifact-autoreact-ledger.artifacts bridge-session.declaredDialogKinds
    attachment/prompt_snapshot.tools[].schema
    history.pastedContents tasks.metadata worktrees.worktrees worktrees.untrackedDirGc
    desktop-row.sessionSettings desktop-row.spawnSeed desktop-row.rewindEdges desktop-row.postTurnSummary
    desktop-row.publishedArtifacts desktop-row.publishedArtifacts[] desktop-row.reportFindingsCard
    desktop-row.cloudSpawnedTasks desktop-row.cloudSpawnedTasks[] desktop-row.enabledMcpTools
    desktop-row.remoteMcpServersConfig[] desktop-row.alwaysAllowedReasons[] desktop-row.sessionPermissionUpdates[]
    desktop-row.cuGrantFlags desktop-row.sshConfig desktop-row.wslConfig desktop-row.sshSubagentSyncedSizes
    desktop-row.peerInbound desktop-row.peerReceipts desktop-row.promptAppendSnapshot desktop-row.toolSurfaceSnapshot
    cowork-manifest.enabledMcpTools cowork-manifest.remoteMcpServersConfig[] cowork-manifest.mcqAnswers
    cowork-manifest.fsDetectedFiles[] cowork-manifest.slashCommands[] cowork-manifest.otelConfig
    cowork-manifest.folderMountNames cowork-manifest.resolvedFolderKinds cowork-manifest.pendingNotifications[]
    cowork-manifest.mcqAnswers[] cowork-manifest.systemPrompt cowork-manifest.sessionPermissionUpdates[]"""

# Files of their own.
FILES = {
    "history": "display pastedContents timestamp project sessionId",
    "agent-meta": """agentType isBuiltIn description toolUseId parentAgentId spawnDepth requestShape
        requestNonInteractive launchedWithDefaults pickedEffortModel model effort isFork spawnedWithWorktree
        worktreePath worktreeBranch taskKind teamName color planModeRequired customAgentType finished""",
    "title": "customTitle",
    "archived": "archived at by",
    "released": "v releasedAt reason",
    "live": """pid sessionId cwd startedAt procStart version kind entrypoint name nameSource status updatedAt
        hostSessionId waitingFor messagingSocketPath""",
    "project-index": "version entries originalPath",
    "tasks": "id subject description activeForm status owner blocks blockedBy metadata",
    "worktrees": "schemaVersion worktrees untrackedDirGc",
    "desktop-row": """sessionId cliSessionId priorCliSessionIds unarchivedCliSessionId preClearCliSessionId importedFrom
        indexedAt adoptedFromOtherSurface stagedTranscriptPath transcriptUnavailable resumeConfirmed cwd originCwd
        worktreePath worktreeName worktreeLazy keptDirtyWorktree branch sourceBranch writtenBranches spaceId envScopeId
        startedFromEnvironmentId lastSpawnRootDetected createdAt lastActivityAt lastFocusedAt latestUserFrameAt
        interruptedByQuitAt errorAt recapAt isArchived isStarred completedTurns error errorCategory
        contextExceededCount pendingFirstStart armedWorkAtQuit title titleSource titleTurn previousTitles model effort
        permissionMode sessionSettings spawnSeed classifierSummaryEnabled forkedFromSessionId forkedAtMessageUuid
        lineageDetached rewindEdges spawnedFrom dispatchParentId dispatchParentOrigin scheduledTaskId
        scheduledRunContinued prs recap postTurnSummary postTurnSummaryFor lastAssistantUuid publishedArtifacts
        reportFindingsCard cloudSpawnedTasks enabledMcpTools remoteMcpServersConfig alwaysAllowedReasons
        sessionPermissionUpdates chromePermissionMode chromeTabGroupId cuAllowedApps cuGrantFlags cuFlagsGrantedAt
        bypassChosenInApp autoChosenInApp sshConfig wslConfig sshRemoteTranscriptPath sshRemoteProjectDir
        sshRemoteProcessId sshLocalTranscriptSize sshSubagentSyncedSizes bridgeSessionIds cloudSessionId movedToCloud
        steeredByRemoteClient peerInbound peerReceipts promptAppendSnapshot toolSurfaceSnapshot emailAddress""",
    "cowork-manifest": """folderMountNames resolvedFolderKinds userSelectedProjectUuids permissionMode sessionType
        parentSessionId dispatchParentOrigin spaceId spaceIdSetBy importedFrom hostLoopMode errorCategory errorAt
        errorVersion approvedToolNames webFetchAllowedUrls otelConfig pendingNotifications memoryEnabled skillsEnabled
        pluginsEnabled isStarred effortOverride promptSuggestion titleSource completedTurns effort""",
}

# The public schema of Cowork's manifests, from 146 files of one machine: type of value, and whether it was in all.
COWORK = {
    "sessionId": ("string", True),
    "processName": ("string", True),
    "vmProcessName": ("string", True),
    "cliSessionId": ("string", False),
    "cwd": ("string", True),
    "userSelectedFolders": ("array", True),
    "createdAt": ("number", True),
    "lastActivityAt": ("number", True),
    "model": ("string", True),
    "isArchived": ("boolean", True),
    "title": ("string", True),
    "initialMessage": ("string", True),
    "systemPrompt": ("string", True),
    "accountName": ("string", True),
    "emailAddress": ("string", True),
    "egressAllowedDomains": ("array", True),
    "remoteMcpServersConfig": ("array", False),
    "enabledMcpTools": ("object", False),
    "slashCommands": ("array", False),
    "chromePermissionMode": ("string", False),
    "chromeAllowedDomains": ("array", False),
    "mcqAnswers": ("object", False),
    "fsDetectedFiles": ("array", False),
    "userApprovedFileAccessPaths": ("array", False),
    "fileDeleteApprovedMounts": ("array", False),
    "error": ("string", False),
    "scheduledTaskId": ("string", False),
}

Types = dict[str, dict[str, list[str]] | None]


def listed() -> Types:
    """Return the contents of the lists above."""
    known: Types = {
        name: None if fields is None else {field: [] for field in fields.split()}
        for name, fields in (RECORDS | PARTS | NESTED | FILES).items()
    }
    known |= dict.fromkeys(MAPS.split())
    for prefix, names in KNOWN_BY_NAME.items():
        for name in names.split():
            known.setdefault(f"{prefix}/{NO_TYPE if name.startswith('(') else name}", None)
    manifest = known["cowork-manifest"] or {}
    known["cowork-manifest"] = manifest | {name: [value] for name, (value, _) in COWORK.items()}
    return known


def add_earlier(known: Types, earlier: Types) -> None:
    """Add the fields, and the types of values, that earlier runs found in real transcripts."""
    for name, fields in earlier.items():
        merged = known.setdefault(name, None)
        for field, values in (fields or {}).items():
            merged = known[name] = merged or {}
            merged[field] = sorted({*merged.get(field, []), *values})


def add_found(known: Types, roots: list[Path]) -> None:
    """Add the fields, and the types of values, that real transcripts have."""
    inventory, maps = Inventory(), set(MAPS.split())
    for root in roots:
        for store in find_stores(root, {}):
            for file in store.files():
                if isinstance(file, FoundFile) and file.kind in KINDS:
                    count_file(file, store.kind, inventory)
    for name in inventory.types():
        if name in maps:
            continue
        fields = known.setdefault(name, {})
        for field, tally in inventory.fields(name).items():
            if field != OTHERS:
                fields = known[name] = fields or {}
                fields[field] = sorted({*fields.get(field, []), *tally.values})


def allow_objects(known: Types) -> None:
    """Allow an object, or a list, in each field that is known to hold one."""
    for path in list(known):
        kind, _, field = path.removesuffix("[]").rpartition(".")
        values = (known.get(kind) or {}).get(field)
        if values:
            values[:] = sorted({*values, "array" if path.endswith("[]") else "object"})


def _line(name: str, value: object) -> str:
    return f"{json.dumps(name)}: {json.dumps(value)}"


def _lines(lines: list[str]) -> str:
    return ",\n".join(lines)


def main() -> None:
    """Write the file."""
    known, earlier = listed(), dict(known_types())
    add_earlier(known, earlier)
    _write(known)  # counting asks it which objects are maps
    known_types.cache_clear()
    add_found(known, [Path(name) for name in sys.argv[1:]])
    allow_objects(known)
    _write(known)
    print(f"{PATH}: {len(known)} types")


def _write(known: Types) -> None:
    types = [_line(name, fields and dict(sorted(fields.items()))) for name, fields in sorted(known.items())]
    cowork = [_line(name, expected) for name, expected in COWORK.items()]
    text = f'{{"types": {{\n{_lines(types)}\n}},\n"cowork": {{\n{_lines(cowork)}\n}}}}\n'
    PATH.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
