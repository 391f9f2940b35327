import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { backlinksQuery } from '../../../data/queries.ts';
import { useCanWrite } from '../../../data/use-vault.ts';
import { useTexts } from '../../../i18n/use-texts.ts';
import type { PanelName } from '../../../page/search-params.ts';
import { Icon, type IconName } from '../../../ui/controls/icon.tsx';
import styles from './panels.module.css';

const route = getRouteApi('/vaults/$vaultId/notes/$noteId');

const TABS: readonly (readonly [PanelName, IconName?])[] = [
  ['outline'],
  ['links'],
  ['history'],
  ['files', 'attachment'],
  ['graph', 'graph'],
];

interface PanelTabsProps {
  readonly panel: PanelName;
  readonly vaultId: string;
  readonly noteId: string;
}

/** Tabs of the side panel. The choice is in the address, so that the browser's back button works. */
export function PanelTabs({ panel, vaultId, noteId }: PanelTabsProps) {
  const t = useTexts('vault');
  const navigate = route.useNavigate();
  const canWrite = useCanWrite(vaultId);
  const { data } = useQuery({ ...backlinksQuery(vaultId, noteId), enabled: panel === 'links' });
  const links = data === undefined ? 0 : new Set(data.map(({ source_note_id: id }) => id)).size;
  return (
    <>
      <button
        type="button"
        className={styles.handle}
        aria-label={t('close')}
        onClick={() => void navigate({ search: { panel: undefined } })}
      />
      <fieldset className={styles.tabs} aria-label={t('note.beside')}>
        {TABS.filter(([name]) => canWrite || name !== 'history').map(([name, icon]) => (
          <button
            key={name}
            type="button"
            aria-label={icon === undefined ? undefined : t(`note.${name}`)}
            aria-pressed={panel === name}
            title={t(`note.${name}`)}
            onClick={() => void navigate({ search: { panel: name }, replace: true })}
          >
            {icon === undefined ? t(`note.${name}`) : <Icon name={icon} size={14} />}
            {name === 'links' && links > 0 ? ` ${links}` : null}
          </button>
        ))}
      </fieldset>
    </>
  );
}
