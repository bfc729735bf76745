import type { Environment } from '@supplier/proto/common/v1/status';
import { DocumentCategorySchema, WaitingFor } from '@supplier/proto/document/v1/document';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { documents } from '../calls.ts';
import { ageOf, wordOf } from '../words.ts';
import { EnvironmentMark } from './marks.tsx';
import { Part } from './part.tsx';

const FEW = 20;

/** Unscanned documents that staff must have scanned again. */
export function ParkedDocumentsPart({ environment: within }: { readonly environment: Environment }) {
  const query = useQuery({
    queryKey: ['parked-documents', within],
    queryFn: ({ signal }) =>
      documents.listWaitingDocuments(
        { environment: within, waitingFor: WaitingFor.STAFF, pageSize: FEW },
        { signal },
      ),
  });
  return (
    <Part title="Documents whose scans came to nothing" query={query}>
      {({ documents: found }) =>
        found.length === 0 ? (
          <p>None.</p>
        ) : (
          <ul>
            {found.map(({ documentId, submissionId, category, ageSeconds, environment }) => (
              <li key={documentId}>
                <EnvironmentMark environment={environment} /> {wordOf(DocumentCategorySchema, category)} of{' '}
                <Link to="/submissions/$submissionId" params={{ submissionId }}>
                  {submissionId}
                </Link>{' '}
                for {ageOf(Number(ageSeconds))}
              </li>
            ))}
          </ul>
        )
      }
    </Part>
  );
}
