import { type Static, Type } from 'typebox';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';

/** Maximum files that a report lists; it counts all. */
const LISTED_MAX = 1000;

const Report = Type.Object({
  root: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  notes: Type.Number(),
  attachments: Type.Number(),
  unchanged: Type.Number(),
  renamed: Type.Array(Type.Object({ from: Type.String(), to: Type.String() })),
  renamed_count: Type.Number(),
  skipped: Type.Array(Type.Object({ path: Type.String(), reason: Type.String() })),
  skipped_count: Type.Number(),
  dangling: Type.Union([Type.Number(), Type.Null()]),
});

const Progress = Type.Object({
  done: Type.Number(),
  total: Type.Union([Type.Number(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
  /** Links without a target that the vault had before the import. */
  danglingBefore: Type.Union([Type.Number(), Type.Null()]),
  /** The session that began it, without which it ends. */
  session: Type.Optional(Type.String()),
  report: Report,
});

/** The progress and results of an import; mutable while it runs. */
export type Progress = Static<typeof Progress>;

export const sealedProgress = new SealedJson(1, Progress);
export const progressContext = (id: string) => ({ kind: 'imports.progress', row: id, version: 0 });

export function newProgress(session: string): Progress {
  const lists = { renamed: [], renamed_count: 0, skipped: [], skipped_count: 0 };
  const report = { root: null, notes: 0, attachments: 0, unchanged: 0, ...lists, dangling: null };
  return { done: 0, total: null, error: null, danglingBefore: null, session, report };
}

/** Why a file was not imported. */
export type SkipReason =
  | 'unsafe_path'
  | 'hidden'
  | 'link'
  | 'special_file'
  | 'encrypted'
  | 'unsupported'
  | 'ratio'
  | 'too_large'
  | 'not_utf8'
  | 'damaged'
  | 'type_not_allowed'
  | 'limit_exceeded'
  | 'conflict';

export function addSkipped({ report }: Progress, path: string, reason: SkipReason): void {
  report.skipped_count += 1;
  if (report.skipped.length < LISTED_MAX) report.skipped.push({ path: path.toWellFormed(), reason });
}

export function addRenamed({ report }: Progress, from: string, to: string): void {
  report.renamed_count += 1;
  if (report.renamed.length < LISTED_MAX) report.renamed.push({ from, to });
}
