import {
  DocumentCategorySchema,
  ScanReasonSchema,
  ScanStatusSchema,
} from '@supplier/proto/document/v1/document';
import { useQuery } from '@tanstack/react-query';
import { documents } from '../calls.ts';
import { timeOf, wordOf } from '../words.ts';
import { Part } from './part.tsx';

/** Nothing of an applicant is shown; the contract asks for one all the same. */
const PURPOSE = 'Shown with the submission, masked.';

/** The documents that came with a submission, without the names of their files. */
export function DocumentsPart({ submissionId }: { readonly submissionId: string }) {
  const query = useQuery({
    queryKey: ['documents', submissionId],
    // Each look is in the audit log.
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: ({ signal }) =>
      documents.listDocuments({ submissionId, masked: true, purpose: PURPOSE }, { signal }),
  });
  return (
    <Part title="Documents" query={query} nothing="There are none.">
      {({ documents: found }) =>
        found.length === 0 ? (
          <p>There are none.</p>
        ) : (
          <ul>
            {found.map((document) => (
              <li key={document.documentId}>
                {wordOf(DocumentCategorySchema, document.category)}, {String(document.byteSize)} bytes of{' '}
                {document.contentType}, sent {timeOf(document.createdAt)}:{' '}
                <strong>{wordOf(ScanStatusSchema, document.scanStatus)}</strong>
                {document.scanReason ? ` because of ${wordOf(ScanReasonSchema, document.scanReason)}` : ''}
                {document.deletedAt ? `, deleted ${timeOf(document.deletedAt)}` : ''}
              </li>
            ))}
          </ul>
        )
      }
    </Part>
  );
}
