import { Command } from 'commander';
import { storageOptions, withConfig } from '../config-flags.ts';

export function mcpCommand(): Command {
  const options = [...storageOptions, 'blobs', 's3Endpoint', 's3Addressing', 'attachmentExtensions'] as const;
  return withConfig(new Command('mcp'), [...options, 'plans', 'defaultPlan', 'mcpWritesPerMinute'])
    .description('Serve the tools for assistants over standard input and output, as hosts start it (see docs/mcp.md)')
    .option('--user <email>', 'whose vaults (default: the only account)')
    .option('--url <url>', 'a running server that has the vaults (NOTEVAULT_URL), with a token')
    .option('--vault <name>', 'name or id of the vault of a stored login, if there are several')
    .option('--token <token>', 'an access token for it (NOTEVAULT_TOKEN, which other programs cannot see)')
    .action(async (flags: Record<string, unknown>) => {
      const { serveAssistant } = await import('../assistant/serve-assistant.ts');
      await serveAssistant(flags);
    });
}
