import * as schema from '@notevault/protocol/logs.ts';
import { idempotentRoute, type Route, route } from '../../../http/route.ts';
import type { Logs } from './logs.ts';

export function logsRoutes(logs: Logs): Route[] {
  return [
    idempotentRoute({
      path: '/logs',
      operation: 'addLogs',
      summary: 'Store log records of a client',
      body: schema.LogsBody,
      responses: { 200: schema.LogsAccepted },
      perform: ({ principal, body }, inTransaction) => logs.add(principal, body.logs, inTransaction),
      reply: (count) => ({ body: { ok: true, count } }),
    }),
    route({
      method: 'GET',
      path: '/logs',
      operation: 'listLogs',
      summary: 'Log records of clients of the last 30 days, newest first',
      query: schema.LogsQuery,
      responses: { 200: schema.LogsResponse },
      handle: async ({ principal, query }) => ({ body: { logs: await logs.list(principal, query) } }),
    }),
  ];
}
