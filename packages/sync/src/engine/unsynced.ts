import type { Problem } from '../plan/operations.ts';
import { reason } from '../rules/reasons.ts';
import type { Disk, Refusal, UnsyncedFile } from './ports.ts';
import type { Refusals } from './refusals.ts';

const PROBLEMS = {
  name: 'renameThere',
  'name here': 'renameHere',
  case: 'sameName',
  blocked: 'blocked',
  'only here': 'onlyHere',
} as const;

/** Lists refused operations and the planner's problems, with the reasons that the user is told. */
export function unsyncedFiles(
  refusals: readonly Refusal[],
  problems: readonly Problem[],
  { disk, known }: { readonly disk: Pick<Disk, 'pathFault'>; readonly known: Refusals },
): UnsyncedFile[] {
  const refused = refusals.map((refusal): UnsyncedFile => {
    const { path, reason } = refusal;
    return { path, reason, ...(known.isDenied(refusal) && { isDenied: true }) };
  });
  const named = problems.map(({ path, reason: problem }) => {
    const code = PROBLEMS[problem];
    const fault = code === 'renameThere' || code === 'renameHere' ? disk.pathFault(path) : null;
    return { path, reason: reason(code, fault === null ? {} : { fault }) };
  });
  return [...named, ...refused];
}
