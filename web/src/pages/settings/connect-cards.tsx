import type { Connection } from '@notevault/protocol/connections.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { downloadsQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { BASE, serverUrl } from '../../platform/base.ts';
import { buttonClass } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import styles from './connect-cards.module.css';

/** How the plugin names the device it is on, when it asks for the approval of its link. */
const OF_PLUGIN = /^Obsidian\b/;
const PLUGIN = 'notevault-obsidian.zip';
const PACKAGE = 'notevault.tgz';

/** How to connect Obsidian, a folder and an assistant; a card says so when one really did something. */
export function ConnectCards({ connections }: { readonly connections: readonly Connection[] }) {
  const t = useTexts('settings');
  const { data: downloads = [PLUGIN, PACKAGE] } = useQuery(downloadsQuery);
  const origin = serverUrl();
  const used = connections.filter(({ last_used_at: at }) => at !== null);
  const device = (isPlugin: boolean) =>
    used.find(({ kind, name }) => kind === 'device' && OF_PLUGIN.test(name ?? '') === isPlugin);
  const tools = `${origin}/api/mcp`;
  // A server that runs from source hands out no programs: there they are made in the clone.
  const command = downloads.includes(PACKAGE) ? 'notevault' : 'npm run notevault --';
  return (
    <div className={styles.cards}>
      <Card title="Obsidian" text={t('connect.obsidianText')} seen={device(true)}>
        {downloads.includes(PLUGIN) ? (
          <Step text={t('connect.plugin')}>
            <a className={buttonClass('plain')} href={`${BASE}download/${PLUGIN}`} download>
              {t('connect.download')}
            </a>
          </Step>
        ) : (
          <CopyStep text={t('connect.pack')} copy="npm run pack:obsidian" />
        )}
        <CopyStep text={t('connect.unpack')} copy=".obsidian/plugins" />
        <CopyStep text={t('connect.enable')} copy={origin} />
      </Card>
      <Card title={t('connect.folder')} text={t('connect.folderText')} seen={device(false)}>
        {downloads.includes(PACKAGE) && (
          <CopyStep
            text={t('connect.install')}
            copy={`npm install -g --allow-remote=root ${origin}/download/${PACKAGE}`}
          />
        )}
        <CopyStep text={t('connect.signIn')} copy={`${command} login ${origin}`} />
        <CopyStep text={t('connect.sync')} copy={`${command} sync ~/Notes`} />
      </Card>
      <Card
        title={t('connect.assistant')}
        text={t('connect.assistantText')}
        seen={used.find(({ kind }) => kind === 'oauth')}
      >
        <CopyStep text={t('connect.address')} copy={tools} />
        <CopyStep text="Claude Code" copy={`claude mcp add --transport http notevault ${tools}`} />
        <CopyStep text="VS Code" copy={`code --add-mcp '{"name":"notevault","type":"http","url":"${tools}"}'`} />
        <CopyStep text="Cursor (.cursor/mcp.json)" copy={`{"mcpServers":{"notevault":{"url":"${tools}"}}}`} />
      </Card>
    </div>
  );
}

interface CardProps {
  readonly title: string;
  readonly text: string;
  readonly seen: Connection | undefined;
  /** Its steps. */
  readonly children: ReactNode;
}

function Card({ title, text, seen, children }: CardProps) {
  const t = useTexts('settings');
  return (
    <section className={styles.card} aria-label={title} data-seen={seen === undefined ? undefined : ''}>
      <h2>{title}</h2>
      <p>{text}</p>
      <ol className={styles.steps}>{children}</ol>
      <p role="status" className={styles.state}>
        {seen === undefined ? (
          t('connect.waiting')
        ) : (
          <>
            <Icon name="check" size={16} /> {t('connect.seen', { name: seen.name ?? t('connections.unnamed') })}
          </>
        )}
      </p>
    </section>
  );
}

function Step({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <li>
      <span>{text}</span>
      {children}
    </li>
  );
}

function CopyStep({ text, copy }: { readonly text: string; readonly copy: string }) {
  return (
    <Step text={text}>
      <div className={styles.copy}>
        <code>
          {copy.split(/(?<= )/).map((word, at) => {
            const key = `${at} ${word}`;
            return <span key={key}>{word}</span>;
          })}
        </code>
        <CopyButton text={copy} />
      </div>
    </Step>
  );
}
