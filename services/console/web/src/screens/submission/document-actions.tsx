import { Group } from '@mantine/core';
import { type DocumentRecord, DocumentService, ScanStatus } from '@supplier/proto/document/v1/document';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { documents, keyOf, mayCall } from '../../calls.ts';
import { useSession } from '../../session.ts';

/** The actions this person may take on a document in its present state. */
export function DocumentActions({ document: present }: { readonly document: DocumentRecord }) {
  const { roles } = useSession();
  const [document, onOpen] = useFrozen(present);
  const { documentId, submissionId, externalReference, environment } = document;
  const { listDocuments, rescanDocument, deleteDocument } = DocumentService.method;
  const queries = useQueryClient();
  // An audited read, which the person's action justifies.
  const refresh = () => void queries.invalidateQueries({ queryKey: keyOf(listDocuments, { submissionId }) });
  if (document.deletedAt) return null;
  const wasScanned = document.scanStatus !== ScanStatus.PENDING_SCAN || document.scanParkedAt;
  return (
    <Group gap={6} wrap="nowrap">
      {wasScanned && mayCall(roles, rescanDocument) ? (
        <ConfirmDialog
          name="Scan again"
          description={`The document ${documentId} of ${externalReference} is scanned again. It can be downloaded once the scan is clean.`}
          environment={environment}
          command={`sss documents rescan ${documentId}`}
          onOpen={onOpen}
          run={() => documents.rescanDocument({ documentId }).then(refresh)}
          toastOf={() => ({ message: 'The document is being scanned' })}
        />
      ) : null}
      {mayCall(roles, deleteDocument) ? (
        <ConfirmDialog
          name="Delete"
          description={`The document ${documentId} of ${externalReference} is deleted with its content. This cannot be undone.`}
          environment={environment}
          command={`sss documents delete ${documentId} --yes`}
          isDestructive
          onOpen={onOpen}
          run={() => documents.deleteDocument({ documentId }).then(refresh)}
          toastOf={() => ({ message: 'Document deleted' })}
        />
      ) : null}
    </Group>
  );
}
