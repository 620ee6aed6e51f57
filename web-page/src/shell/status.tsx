// One line for short news; screen readers read it, at most once a second.
import { useEffect, useState } from "preact/hooks";

let show: (text: string) => void = () => undefined;
export const say = (text: string): void => show(text);

export function Status() {
  const [text, setText] = useState("");
  show = setText;
  useEffect(() => {
    if (!text) return undefined;
    const timer = setTimeout(() => setText(""), 4000);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div role="status" class={text ? "toast" : "vh"}>
      {text}
    </div>
  );
}
