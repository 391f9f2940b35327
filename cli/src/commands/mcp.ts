import { Command } from 'commander';
import { storageOptions, withConfig } from '../config-flags.ts';

export function mcpCommand(): Command {
  const options = [...storageOptions, 'blobs', 's3Endpoint', 's3Addressing', 'attachmentExtensions'] as const;
  return withConfig(new Command('mcp'), [...options, 'plans', 'defaultPlan', 'mcpWritesPerMinute'])
    .description(
      'Serve the tools for assistants over standard input and output; an MCP host starts it (see docs/mcp.md)',
    )
    .option('--user <email>', 'the account that owns the vaults (default: the only account)')
    .option('--url <url>', 'address of a running server that has the vaults; needs a token (NOTEVAULT_URL)')
    .option('--vault <name>', 'name or id of the vault, if this device is linked to several')
    .option('--token <token>', 'access token for --url; prefer NOTEVAULT_TOKEN, which other programs cannot see')
    .action(async (flags: Record<string, unknown>) => {
      const { serveAssistant } = await import('../assistant/serve-assistant.ts');
      await serveAssistant(flags);
    });
}
