import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useTexts } from '../i18n/use-texts.ts';
import { errorText } from '../ui/feedback/error-text.ts';
import { showToast } from '../ui/feedback/toast.ts';

/**
 * Changes something on the server, once at a time, and reads again what shows it; a failure is told.
 *
 * @param done told after a success; nothing by default.
 * @param explain words a failure; `errorText` by default.
 */
export function useChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  shown: QueryKey,
  done?: string,
  explain?: (error: unknown) => string,
) {
  const queries = useQueryClient();
  const t = useTexts('vault');
  const mutationKey = [useId()];
  const mutation = useMutation({
    mutationKey,
    mutationFn: change,
    onError: (error) => showToast({ kind: 'danger', text: explain?.(error) ?? errorText(t, error) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: shown });
      if (done !== undefined) showToast({ kind: 'plain', text: done });
    },
  });
  const mutate: typeof mutation.mutate = (...args) => {
    // Asked of the cache: a second submit may come before the first one was drawn.
    if (queries.isMutating({ mutationKey }) === 0) mutation.mutate(...args);
  };
  return { mutate, isPending: mutation.isPending };
}
