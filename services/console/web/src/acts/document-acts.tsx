import { type DocumentRecord, DocumentService, ScanStatus } from '@supplier/proto/document/v1/document';
import { useQueryClient } from '@tanstack/react-query';
import { documents, mayCall } from '../calls.ts';
import { useSession } from '../session.ts';
import { Act } from './act.tsx';
import { useBegun } from './begun.ts';

/** The actions this person may take on a document in its present state. */
export function DocumentActs({ document: present }: { readonly document: DocumentRecord }) {
  const { roles } = useSession();
  const [document, onOpen] = useBegun(present);
  const { documentId, externalReference, environment } = document;
  const queries = useQueryClient();
  // An audited read, which the person's action justifies.
  const lookAgain = () => void queries.invalidateQueries({ queryKey: ['documents', document.submissionId] });
  const { rescanDocument, deleteDocument } = DocumentService.method;
  if (document.deletedAt) return null;
  const wasScanned = document.scanStatus !== ScanStatus.PENDING_SCAN || document.scanParkedAt;
  return (
    <span className="acts-of-row">
      {wasScanned && mayCall(roles, rescanDocument) ? (
        <Act
          name="Scan again"
          says={`The document ${documentId} of ${externalReference} is scanned again; until then nobody can download it.`}
          environment={environment}
          command={`sss documents rescan ${documentId}`}
          isReady
          onOpen={onOpen}
          run={() => documents.rescanDocument({ documentId }).then(lookAgain)}
        />
      ) : null}
      {mayCall(roles, deleteDocument) ? (
        <Act
          name="Delete"
          says={`The document ${documentId} of ${externalReference} and its bytes are deleted for good.`}
          environment={environment}
          command={`sss documents delete ${documentId} --yes`}
          isReady
          onOpen={onOpen}
          run={() => documents.deleteDocument({ documentId }).then(lookAgain)}
        />
      ) : null}
    </span>
  );
}
