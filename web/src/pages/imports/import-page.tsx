import { Link } from '@tanstack/react-router';
import { roleOf } from '../../data/role.ts';
import { useVault } from '../../data/use-vault.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { ForEditors } from '../../page/for-editors.tsx';
import { Page } from '../../page/page.tsx';
import { buttonClass } from '../../ui/controls/button.tsx';
import { ImportPanel } from './import-panel.tsx';
import styles from './imports.module.css';

/** Imports notes into the open vault. */
export function ImportPage() {
  const t = useTexts('imports');
  const vault = useVault();
  if (vault === null) return null;
  if (roleOf(vault) === 'viewer') return <ForEditors title={t('title')} />;
  return (
    <Page title={t('title')}>
      <p className={styles.about}>
        {t('about')} <span dir="auto">{t('into', { name: vault.name })}</span>
      </p>
      <ImportPanel
        vaultId={vault.id}
        vaultOf={async () => vault.id}
        next={
          <Link to="/vaults/$vaultId" params={{ vaultId: vault.id }} className={buttonClass('primary')}>
            {t('show')}
          </Link>
        }
      />
    </Page>
  );
}
