// run_wasm.mjs - run a WebAssembly program that needs nothing but a place to print: node tests/kernels/run_wasm.mjs FILE
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";
const wasi = new WASI({ version: "preview1", returnOnExit: true }), module = await WebAssembly.compile(readFileSync(process.argv[2]));
const imports = wasi.getImportObject();
for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] ??= () => 52;
process.exit(wasi.start(await WebAssembly.instantiate(module, imports)));
