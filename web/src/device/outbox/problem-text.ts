import { ApiError } from '@notevault/client/transport.ts';
import type { TFunction } from 'i18next';
import { errorText } from '../../ui/feedback/error-text.ts';
import type { Problem } from './operation.ts';

/** Explains why something that waited was not done. */
export function problemText(t: TFunction<'vault'>, problem: Problem): string {
  if (problem.reason !== 'refused') return t(`outbox.problem.${problem.reason}`, { path: problem.path });
  return errorText(t, new ApiError(problem.status, problem.body, null));
}
