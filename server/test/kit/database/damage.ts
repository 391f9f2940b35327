import { closeSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const TRUNK_AT = 32;

/** Damage to the file of a SQLite database that no process has open, by name. */
export const DAMAGES = {
  'an overwritten leaf page': (file) => overwrite(file, pageOf(file, "name = 'entries' and pagetype = 'leaf'")),
  'an overwritten interior page': (file) =>
    overwrite(file, pageOf(file, "name = 'note_bodies' and pagetype = 'internal'")),
  'an overwritten index page': (file) => overwrite(file, pageOf(file, `name in (${INDEXES}) and pagetype = 'leaf'`)),
  'an overwritten overflow page': (file) =>
    overwrite(file, pageOf(file, "name = 'note_bodies' and pagetype = 'overflow'")),
  'an overwritten trunk of the list of free pages': (file) => overwrite(file, trunkOf(file)),
  'a file that was cut': (file) => cut(file),
  'a page of zeros': (file) => overwrite(file, pageOf(file, "name = 'entries' and pagetype = 'leaf'"), 0),
} satisfies Record<string, (file: string) => void>;

const INDEXES = "select name from sqlite_schema where type = 'index' and tbl_name = 'entries'";

/** Makes free pages, and puts all pages into the file itself. */
export function prepareForDamage(file: string): void {
  using db = new DatabaseSync(file);
  db.exec('create table spare (bytes blob)');
  for (let each = 0; each < 10; each++) db.exec('insert into spare values (zeroblob(40000))');
  db.exec('drop table spare; pragma wal_checkpoint(truncate)');
}

/** The page in the middle of those that a condition on `dbstat` finds. */
function pageOf(file: string, where: string): number {
  using db = new DatabaseSync(file);
  const pages = db.prepare(`select pageno from dbstat where ${where} order by pageno`).all();
  const page = pages.at(pages.length >> 1);
  if (page === undefined) throw new Error(`no page where ${where}`);
  return Number(page.pageno);
}

function trunkOf(file: string): number {
  const [fd, header] = [openSync(file, 'r'), Buffer.alloc(100)];
  readSync(fd, header, 0, header.length, 0);
  closeSync(fd);
  const page = header.readUInt32BE(TRUNK_AT);
  if (page === 0) throw new Error('no free pages');
  return page;
}

function overwrite(file: string, page: number, byte = 0xa7): void {
  const size = pageSizeOf(file);
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.alloc(size, byte), 0, size, (page - 1) * size);
  closeSync(fd);
}

function pageSizeOf(file: string): number {
  using db = new DatabaseSync(file);
  return Number(db.prepare('pragma page_size').get()?.page_size);
}

function cut(file: string): void {
  const fd = openSync(file, 'r+');
  ftruncateSync(fd, Math.floor(statSync(file).size * 0.7));
  closeSync(fd);
}
