// The main script of the executable, and the head of each script of its threads: loads the chunks of the program, which are
// assets. Packages that are not in it are looked for in `node_modules` beside the executable.
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire, isBuiltin } = require('node:module');
const { basename, dirname, join } = require('node:path');
const { getAsset, getRawAsset } = require('node:sea');
const { Script, constants } = require('node:vm');

const folder = join(dirname(process.execPath), 'bundle');
const external = createRequire(join(folder, 'loader.cjs'));
const modules = new Map();
const compiled = new Map();
let cacheFolder = null;

function load(name) {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(name, module);
  const filename = join(folder, name);
  const run = compile(name, filename).runInThisContext();
  run(module.exports, requireFrom, module, filename, folder);
  return module.exports;
}

function requireFrom(specifier) {
  if (specifier.startsWith('./')) return load(specifier.slice(2));
  return isBuiltin(specifier) ? require(specifier) : external(specifier);
}

function compile(name, filename) {
  // One byte for each character, outside of the heap.
  const source = Buffer.from(getRawAsset(`bundle/${name}`)).toString('latin1');
  const cachedData = cachedCode(name);
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = new Script(source, { filename, cachedData, importModuleDynamically });
  if (cachedData === undefined || script.cachedDataRejected) compiled.set(name, script);
  return script;
}

function cachedCode(name) {
  if (cacheFolder === null) return undefined;
  try {
    return readFileSync(join(cacheFolder, name));
  } catch {
    return undefined;
  }
}

/**
 * Keeps the code of the chunks that are loaded from now on in a folder, when the process ends: by then it includes the
 * functions that have run. V8 compares no more than the length of a source, so each build has a folder of its own.
 */
globalThis.notevaultCodeCache = (parent) => {
  if (cacheFolder === null) process.on('exit', writeCache);
  cacheFolder = join(parent, `executable-${getAsset('bundle/digest', 'utf8')}`);
};

function writeCache() {
  try {
    mkdirSync(cacheFolder, { recursive: true });
    for (const [name, script] of compiled) {
      const file = join(cacheFolder, basename(name));
      writeFileSync(`${file}.${process.pid}`, script.createCachedData());
      renameSync(`${file}.${process.pid}`, file);
    }
  } catch {
    // The next start compiles again.
  }
}
