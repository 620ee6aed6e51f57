// The order of the list that was seen last, for the keys [ and ].
import { address, ask } from "../../api";
import type { ListAnswer } from "../../types";

let order: string[] = [];

export const rememberOrder = (ids: string[]): void => void (order = ids);

/** Return the session before (-1) or after (1) another one. */
export async function neighbour(id: string, step: -1 | 1): Promise<string | null> {
  if (!order.includes(id)) {
    const found = await ask<ListAnswer>(address("list", { limit: 500 }));
    order = found.sessions.map((one) => one.id);
  }
  const at = order.indexOf(id);
  return at < 0 ? null : (order[at + step] ?? null);
}
