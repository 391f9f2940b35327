import { unifiedDiff } from '@notevault/mcp/text/unified-diff.ts';

/** The tasks of this domain on the worker threads of the pool. */
export const mcpTasks = {
  unifiedDiff: ({ before, after }: { readonly before: string; readonly after: string }) => unifiedDiff(before, after),
};

export type McpTasks = typeof mcpTasks;
