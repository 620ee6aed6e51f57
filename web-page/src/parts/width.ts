// A media query as a value that changes with the window.
import { useEffect, useState } from "preact/hooks";

export function useMedia(query: string): boolean {
  const [isSo, setSo] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const listener = (): void => setSo(media.matches);
    media.addEventListener("change", listener);
    return () => media.removeEventListener("change", listener);
  }, [query]);
  return isSo;
}

export const usePhone = (): boolean => useMedia("(max-width: 720px)");
