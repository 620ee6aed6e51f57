// Icons of 16 px, always beside a word or with a name.
const SHAPES: Record<string, string> = {
  caret: "M6 3.5 10.5 8 6 12.5",
  down: "M4.500 6.500 8 10l3.500-3.500",
  up: "M4.500 9.500 8 6l3.500 3.500",
  x: "m4.500 4.500 7 7m0-7-7 7",
  find: "M11.250 7a4.250 4.250 0 1 1-8.500 0 4.250 4.250 0 0 1 8.500 0Zm-1.050 3.200 3.300 3.300",
  fork: "M5 13.500v-11M5 10c0-3 6-2 6-6M12.400 3a1.400 1.400 0 1 1-2.800 0 1.400 1.400 0 0 1 2.800 0Z",
  agent: "M3 2.500v7.500c0 1.400 1 2 2 2h3M9.500 9.500h3q1 0 1 1v3q0 1-1 1h-3q-1 0-1-1v-3q0-1 1-1Z",
  alert: "M8 2.200 14.200 13H1.800ZM8 6.600v3M8 11.300v.1",
  copy: "M7 5.500h5q1.500 0 1.500 1.500v5q0 1.500-1.500 1.500H7q-1.500 0-1.500-1.500V7q0-1.500 1.500-1.500ZM10.500 3.500v-.2c0-.6-.5-1-1-1h-6c-.6 0-1 .4-1 1v6c0 .5.4 1 1 1h.2",
  dots: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  theme: "M13.250 8a5.250 5.250 0 1 1-10.500 0 5.250 5.250 0 0 1 10.500 0ZM8 2.750v10.500M10 3.200v9.600M12 4.600v6.800",
  keys: "M5.800 6a2.200 2.200 0 1 1 3.400 1.800C8.300 8.400 8 8.800 8 9.700M8 12.300v.1",
  pin: "M6 2.500h4l-.5 4 2 2.500h-7l2-2.500ZM8 9v4.500",
  edit: "M8 3v6M5 6h6M5 13h6",
  fold: "M2.500 8h2M7 8h2M11.500 8h2M8 2v3M6.500 4 8 5.500 9.500 4M8 14v-3M6.500 12 8 10.500 9.500 12",
  plan: "M3 4h10M3 8h10M3 12h6",
};

export function Icon({ name, small }: { name: string; small?: boolean }) {
  return (
    <svg class={small ? "i i12" : "i"} viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPES[name] ?? ""} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg class="i" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M2.500 13h11M2.500 9.500h8M2.500 6h3M8.500 5.500 11 3l2.500 2.500M11 3v3.500" />
    </svg>
  );
}
