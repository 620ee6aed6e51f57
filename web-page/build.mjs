// Build the page into one directory: the same sources give the same bytes.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const here = import.meta.dirname;
const out = process.argv[2] ?? join(here, "../src/backscroll/web/static");

const licences = async () => {
  const pieces = [];
  for (const name of ["preact", "uplot", "virtua"]) {
    const about = JSON.parse(await readFile(join(here, "node_modules", name, "package.json"), "utf8"));
    const licence = await readFile(join(here, "node_modules", name, "LICENSE"), "utf8");
    pieces.push(`${name} ${about.version}\n\n${licence.trim()}\n`);
  }
  return pieces.join("\n---\n\n");
};

await mkdir(out, { recursive: true });
for (const name of await readdir(out)) if (/\.(js|css)$/.test(name)) await rm(join(out, name));
await build({
  entryPoints: [{ in: join(here, "src/main.tsx"), out: "app" }, { in: join(here, "src/style/main.css"), out: "app" }],
  absWorkingDir: here,
  bundle: true,
  splitting: true,
  format: "esm",
  minify: true,
  legalComments: "none",
  target: ["chrome123", "firefox120", "safari17.5"],
  chunkNames: "part-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
  alias: { react: "preact/compat", "react-dom": "preact/compat", "react/jsx-runtime": "preact/jsx-runtime" },
  outdir: out,
  logLevel: "warning",
});
await copyFile(join(here, "src/page.html"), join(out, "page.html"));
await writeFile(join(out, "LICENSES.txt"), await licences());
