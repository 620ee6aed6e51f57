// Requests to the server.  Each answer is the document of a command; see types.ts.
import { useEffect, useRef, useState } from "preact/hooks";
import { noteReached } from "./shell/connection";

export type Options = Record<string, string | number | boolean | null | undefined>;

/** The reason why a request failed, in the words of the server. */
export class Failure {
  constructor(
    readonly status: number,
    readonly what: string,
    readonly where: string | null = null,
    readonly remedy: string | null = null,
  ) {}
}

/** Return the address of a command's document. */
export function address(name: string, options: Options = {}): string {
  const given = new URLSearchParams();
  for (const [option, value] of Object.entries(options)) {
    if (value === null || value === undefined || value === false || value === "") continue;
    given.set(option, value === true ? "1" : String(value));
  }
  const query = given.toString();
  return `/api/${name}${query ? `?${query}` : ""}`;
}

/** Return the name of a command about one session. */
export const about = (name: string, session: string): string => `${name}/${encodeURIComponent(session)}`;

export async function ask<T>(url: string, signal?: AbortSignal): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(url, signal ? { signal } : {});
  } catch (error) {
    if (signal?.aborted) throw error;
    noteReached(false);
    throw new Failure(0, "The server does not answer", null, "Run `backscroll web` again.");
  }
  noteReached(true);
  const body = (await answer.json().catch(() => null)) as { error?: Failure } | null;
  if (answer.ok && body) return body as T;
  const error = body?.error;
  throw new Failure(answer.status, error?.what ?? "The server sent no answer", error?.where ?? null, error?.remedy ?? null);
}

export interface Answer<T> {
  data: T | null;
  error: Failure | null;
  isLoading: boolean;
}

/** Return the document at an address; the last one stays while the next is on its way. */
export function useAnswer<T>(url: string | null, again: unknown = null): Answer<T> {
  const [found, setFound] = useState<Answer<T>>({ data: null, error: null, isLoading: url !== null });
  const last = useRef<string | null>(null);
  useEffect(() => {
    if (url === null) {
      setFound({ data: null, error: null, isLoading: false });
      return undefined;
    }
    const stop = new AbortController();
    setFound((before) => ({ ...before, isLoading: true }));
    ask<T>(url, stop.signal).then(
      (data) => {
        last.current = url;
        setFound({ data, error: null, isLoading: false });
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const failure = error instanceof Failure ? error : new Failure(0, String(error));
        setFound((before) => ({ data: last.current === url ? before.data : null, error: failure, isLoading: false }));
      },
    );
    return () => stop.abort();
  }, [url, again]);
  return found;
}
