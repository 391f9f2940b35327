import { getRouteApi } from '@tanstack/react-router';
import i18next from 'i18next';
import type { AttachmentEntry } from '../../data/tree/tree-index.ts';
import { useTree } from '../../data/use-tree.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { ticketUrl } from '../../media/attachment-urls.ts';
import { NotFound } from '../../page/not-found.tsx';
import { Page } from '../../page/page.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { bytes } from '../../ui/text/bytes.ts';
import { FileView } from './file-view.tsx';
import styles from './files.module.css';

const route = getRouteApi('/vaults/$vaultId/files/$fileId');

/** An attachment: what a browser can show of it, and its download. */
export function FilePage() {
  const { vaultId, fileId } = route.useParams();
  const entry = useTree(vaultId).byKey(fileId);
  if (entry?.kind !== 'attachment') return <NotFound />;
  return <OpenFile key={entry.path} vaultId={vaultId} file={entry} />;
}

function OpenFile({ vaultId, file }: { readonly vaultId: string; readonly file: AttachmentEntry }) {
  const t = useTexts('vault');
  const { name, path, size } = file;
  const download = async () => {
    try {
      const link = document.createElement('a');
      link.href = await ticketUrl(vaultId, path);
      link.download = name;
      link.click();
    } catch (error) {
      showToast({ kind: 'danger', text: errorText(t, error) });
    }
  };
  return (
    <Page
      title={name}
      actions={
        <div className={styles.actions}>
          <CopyButton text={`![[${path}]]`} />
          <Button onClick={() => void download()}>
            <Icon name="download" size={16} />
            {t('tree.download')}
          </Button>
        </div>
      }
    >
      <p className={styles.about} dir="auto">
        {path} · {bytes(size, i18next.language)}
      </p>
      <FileView vaultId={vaultId} file={file} />
    </Page>
  );
}
