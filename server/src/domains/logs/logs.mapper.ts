import type { LogRecord as LogRecordBody } from '@notevault/protocol/logs.ts';
import { isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import type { LogRecord } from './logs.ts';

export function recordView({ createdAt, ts, ...record }: LogRecord): LogRecordBody {
  return { ...record, created_at: isoTimeOrNull(createdAt), ts: isoTimeOrNull(ts) };
}
