import type { Mention } from '@notevault/protocol/mentions.ts';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { mentionsQuery } from '../../../data/queries.ts';
import { useCanWrite } from '../../../data/use-vault.ts';
import { useTexts } from '../../../i18n/use-texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { errorText } from '../../../ui/feedback/error-text.ts';
import { showToast } from '../../../ui/feedback/toast.ts';
import { workspace } from '../../../workspace/workspace.ts';
import { markedPieces } from '../../search/marked.ts';
import styles from './panels.module.css';

interface MentionsProps {
  readonly vaultId: string;
  readonly noteId: string;
}

/** Unlinked mentions of the note's name in other notes, each with a button to link it. Empty if there are none. */
export function Mentions({ vaultId, noteId }: MentionsProps) {
  const t = useTexts('vault');
  const query = useInfiniteQuery(mentionsQuery(vaultId, noteId));
  const { data: mentions = [], error, hasNextPage, isFetchingNextPage } = query;
  if (error !== null && mentions.length === 0) {
    return <p className={styles.none}>{`${t('links.mentionsFailed')} ${errorText(t, error)}`}</p>;
  }
  if (mentions.length === 0 && !hasNextPage) return null;
  return (
    <>
      <h3>{t('links.mentions')}</h3>
      <ul>
        {mentions.map((mention) => (
          <Row key={`${mention.note_id} ${mention.start}`} vaultId={vaultId} noteId={noteId} mention={mention} />
        ))}
      </ul>
      {hasNextPage ? (
        <Button look="quiet" aria-disabled={isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('more')}
        </Button>
      ) : null}
    </>
  );
}

function Row({ vaultId, noteId, mention }: MentionsProps & { readonly mention: Mention }) {
  const t = useTexts('vault');
  const queries = useQueryClient();
  const canWrite = useCanWrite(vaultId);
  const { note_id, start, text, title, context, context_mention } = mention;
  const linking = useMutation({
    mutationFn: () => api.vault(vaultId).linkMention(noteId, { note_id, start, text }),
    onSuccess: () => showToast({ kind: 'plain', text: t('links.linked', { name: title }) }),
    onError: (error) => {
      const isOther = 'code' in error && error.code === 'text_changed';
      showToast({ kind: 'danger', text: isOther ? t('links.changed', { name: title }) : errorText(t, error) });
    },
    // A link moves what follows it in its note.
    onSettled: () => queries.invalidateQueries({ queryKey: keys.note(vaultId, noteId) }),
  });
  return (
    <li className={styles.mention}>
      <Link
        to="/vaults/$vaultId/notes/$noteId"
        params={{ vaultId, noteId: note_id }}
        search={{ panel: 'links' }}
        className={styles.link}
        onClick={() =>
          workspace.note(note_id).wantPlace({
            ...{ excerpt: context, offset: start },
            ...{ start: context_mention[0] ?? 0, end: context_mention[1] ?? 0 },
          })
        }
      >
        <span dir="auto">{title}</span>
        <Marked text={context} places={[context_mention]} />
      </Link>
      {canWrite ? (
        <Button
          look="quiet"
          aria-label={t('links.linkIn', { name: title })}
          aria-disabled={linking.isPending}
          onClick={() => {
            if (!linking.isPending) linking.mutate();
          }}
        >
          {t('links.link')}
        </Button>
      ) : null}
    </li>
  );
}

/** A text around places, with these marked. */
export function Marked({ text, places }: { readonly text: string; readonly places: readonly (readonly number[])[] }) {
  const pieces = markedPieces(text, places).map((piece, at) => ({ ...piece, key: `${at} ${piece.text}` }));
  return (
    <small dir="auto">
      {pieces.map(({ key, text: shown, isFound }) => (isFound ? <mark key={key}>{shown}</mark> : shown))}
    </small>
  );
}
