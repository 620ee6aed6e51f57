// The chips above the list.
import { baseName, expiry, modelName } from "../../format";
import { Chip, Menu, Segment } from "../../parts/chips";
import { change } from "../../shell/route";
import type { AccountsAnswer, Session } from "../../types";
import { useAnswer } from "../../api";
import { isCutOff } from "./activity";
import { choices, isShown, projectName, TIMES } from "./filter";

interface Filters {
  sessions: Session[];
  params: URLSearchParams;
  by: "day" | "project";
}

export function FilterChips({ sessions, params, by }: Filters) {
  const accounts = useAnswer<AccountsAnswer>(sessions.some((one) => one.account) ? "/api/accounts" : null).data?.accounts ?? [];
  const nameOf = (id: string): string => {
    const one = accounts.find((account) => account.id === id);
    return one?.email ?? one?.name ?? `${id.slice(0, 8)}…`;
  };
  const without = (name: string): Session[] => sessions.filter((one) => isShown(one, params, name));
  const menu = (name: string, label: string, valuesOf: (one: Session) => Array<string | null>, labelOf?: (value: string) => string) => (
    <Menu label={label} choices={choices(without(name), valuesOf, labelOf)} value={params.get(name)} onChange={(value) => change({ [name]: value })} />
  );
  const flag = (name: string, label: string, test: (one: Session) => boolean) => (
    <Chip label={label} count={without(name).filter(test).length} isOn={params.has(name)} onChange={(isOn) => change({ [name]: isOn ? "1" : null })} />
  );
  return (
    <div class="chips" role="group" aria-label="Filters">
      <Segment label="Group" value={by} choices={[{ value: "day", label: "Day" }, { value: "project", label: "Project" }]} onChange={(value) => change({ by: value === "day" ? null : value, sort: null })} />
      <span class="sep" />
      <Menu label="Time" choices={TIMES} value={params.get("since")} onChange={(value) => change({ since: value })} />
      {menu("project", "Project", (one) => [one.project], (path) => `${projectName(path)}${baseName(path) === path ? "" : `  ${path}`}`)}
      {menu("store", "Store", (one) => one.stores)}
      {menu("account", "Account", (one) => [one.account], nameOf)}
      {menu("model", "Model", (one) => one.models.map(modelName))}
      {menu("state", "State", (one) => [one.state])}
      <span class="sep" />
      {flag("expiring", "Expires soon", (one) => expiry(one.expires) !== "")}
      {flag("damaged", "Damaged", (one) => one.damage > 0)}
      {flag("cutoff", "Ended in a call", (one) => isCutOff(one))}
      {flag("pinned", "Pinned", (one) => one.marks?.pinned === true)}
    </div>
  );
}
