import type { Connection } from '@notevault/protocol/connections.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import styles from './connect-cards.module.css';

/** How the plugin names the device it is on, when it asks for the approval of its link. */
const OF_PLUGIN = /^Obsidian\b/;

/** How to connect Obsidian, a folder and an assistant; a card says so when one really did something. */
export function ConnectCards({ connections }: { readonly connections: readonly Connection[] }) {
  const t = useTexts('settings');
  const { origin } = location;
  const used = connections.filter(({ last_used_at: at }) => at !== null);
  const device = (isPlugin: boolean) =>
    used.find(({ kind, name }) => kind === 'device' && OF_PLUGIN.test(name ?? '') === isPlugin);
  return (
    <div className={styles.cards}>
      <Card title="Obsidian" text={t('connect.obsidianText')} copy={origin} seen={device(true)} />
      <Card
        title={t('connect.folder')}
        text={t('connect.folderText')}
        copy={`npm run notevault -- login ${origin} && npm run notevault -- sync ~/Notes`}
        seen={device(false)}
      />
      <Card
        title={t('connect.assistant')}
        text={t('connect.assistantText')}
        copy={`${origin}/api/mcp`}
        seen={used.find(({ kind }) => kind === 'oauth')}
      />
    </div>
  );
}

interface CardProps {
  readonly title: string;
  readonly text: string;
  readonly copy: string;
  readonly seen: Connection | undefined;
}

function Card({ title, text, copy, seen }: CardProps) {
  const t = useTexts('settings');
  return (
    <section className={styles.card} aria-label={title} data-seen={seen === undefined ? undefined : ''}>
      <h2>{title}</h2>
      <p>{text}</p>
      <div className={styles.copy}>
        <code>
          {copy.split(/(?<= )/).map((word, at) => {
            const key = `${at} ${word}`;
            return <span key={key}>{word}</span>;
          })}
        </code>
        <CopyButton text={copy} />
      </div>
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
