import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packObsidian } from './build-obsidian.ts';
import { builtCommit } from './commit.ts';

/*
 * node tools/pack-obsidian.ts [folder]
 *
 * Packs the plugin for Obsidian into notevault-obsidian-<version>.zip, as servers hand it out. The folder is the current
 * one by default.
 */

const { version, bytes } = await packObsidian(builtCommit());
const file = join(process.argv[2] ?? process.cwd(), `notevault-obsidian-${version}.zip`);
writeFileSync(file, bytes);
console.log(file);
