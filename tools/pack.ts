import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listPackage, packPackage } from '../server/src/domains/operating/downloads/package-archive.ts';
import { build } from './build.ts';

/*
 * node tools/pack.ts [folder]
 *
 * Packs the program with its web app into notevault-<version>.tgz, as it is published and as servers hand it out. The
 * folder is the current one by default.
 */
const dist = join(import.meta.dirname, '../dist');
await build();
const { version } = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8')) as { version: string };
const file = join(process.argv[2] ?? process.cwd(), `notevault-${version}.tgz`);
await packPackage(dist, await listPackage(dist), file);
console.log(file);
