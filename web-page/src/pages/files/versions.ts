// Versions of a file: their kinds, their words, and their groups.
import { dayKey, moment } from "../../format";
import type { Version } from "../../types";

export interface ShownVersion extends Version {
  isCandidate: boolean;
}

export type Shape = "exact" | "derived" | "outside" | "never" | "gone";

export function shapeOf(version: ShownVersion): Shape {
  if (version.isCandidate) return "never";
  if (version.deleted) return "gone";
  if (version.outside) return "outside";
  return version.exact ? "exact" : "derived";
}

export function howText(version: ShownVersion): string {
  if (version.isCandidate) return `${version.how}, ${version.why === "refused" ? "refused" : version.why === "error" ? "failed" : "never written"}`;
  if (version.deleted) return "deleted";
  if (version.outside) return "changed outside";
  return version.how;
}

export const sureText = (version: Version): string => ({ bytes: "exact", text: "exact" })[version.sure] ?? version.sure;

/** Return all versions in the order of time; edits that never reached the disk stand where they were tried. */
export function inOrder(versions: Version[], candidates: Version[]): ShownVersion[] {
  const all = [...versions.map((one) => ({ ...one, isCandidate: false })), ...candidates.map((one) => ({ ...one, isCandidate: true }))];
  return all.map((one, n) => ({ one, n })).sort((a, b) => (a.one.time ?? "").localeCompare(b.one.time ?? "") || a.n - b.n).map(({ one }) => one);
}

export interface VersionGroup {
  session: string | null;
  agent: string | null;
  branch: string | null;
  isOutside: boolean;
  day: string;
  versions: ShownVersion[];
}

/** Return runs of versions of one session, branch and agent. */
export function inRuns(versions: ShownVersion[]): VersionGroup[] {
  const runs: VersionGroup[] = [];
  for (const one of versions) {
    const last = runs.at(-1);
    const date = moment(one.time);
    const day = date ? dayKey(date) : "";
    if (last && last.session === one.session && last.agent === one.agent && last.branch === one.branch && last.isOutside === one.outside && last.day === day) last.versions.push(one);
    else runs.push({ session: one.session, agent: one.agent, branch: one.branch, isOutside: one.outside, day, versions: [one] });
  }
  return runs;
}
