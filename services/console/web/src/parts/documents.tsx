import { Button } from '@blueprintjs/core';
import { visible } from '@supplier/lib/text/visible';
import {
  DocumentCategorySchema,
  type DocumentRecord,
  DocumentService,
  ScanReasonSchema,
  ScanStatus,
  ScanStatusSchema,
} from '@supplier/proto/document/v1/document';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DocumentActs } from '../acts/document-acts.tsx';
import { documents, mayCall } from '../calls.ts';
import { useSession } from '../session.ts';
import { timeOf, wordOf } from '../words.ts';
import { useBriefly } from './briefly.ts';
import { Part } from './part.tsx';
import { isPurpose, Purpose } from './purpose.tsx';
import { ShownBriefly } from './shown-briefly.tsx';

/** No applicant details are shown, but the contract requires a purpose. */
const PURPOSE = 'Shown with the submission, masked.';

/** The documents of a submission. File names and contents require a purpose. */
export function DocumentsPart({ submissionId }: { readonly submissionId: string }) {
  const { roles } = useSession();
  const query = useQuery({
    queryKey: ['documents', submissionId],
    // Each read is recorded in the audit log.
    meta: { isAudited: true },
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
          <>
            <ul>
              {found.map((document) => (
                <li key={document.documentId}>
                  {sentenceFor(document)} <small>{document.documentId}</small>
                  <DocumentActs document={document} />
                </li>
              ))}
            </ul>
            {mayCall(roles, DocumentService.method.downloadDocument) ? (
              <Files submissionId={submissionId} documents={found} />
            ) : null}
          </>
        )
      }
    </Part>
  );
}

function sentenceFor(document: DocumentRecord) {
  return (
    <>
      {wordOf(DocumentCategorySchema, document.category)}, {String(document.byteSize)} bytes of{' '}
      {document.contentType}, sent {timeOf(document.createdAt)}:{' '}
      <strong>{wordOf(ScanStatusSchema, document.scanStatus)}</strong>
      {document.scanReason ? ` because of ${wordOf(ScanReasonSchema, document.scanReason)}` : ''}
      {document.deletedAt ? `, deleted ${timeOf(document.deletedAt)}` : ''}
    </>
  );
}

interface FilesProps {
  readonly submissionId: string;
  readonly documents: readonly DocumentRecord[];
}

/** A link to a document for the person to click: browsers block windows opened after a slow response. */
interface Linked {
  readonly documentId: string;
  readonly url: string;
}

/**
 * Shows the file names, and a link to each clean document, after a purpose is entered. They disappear after the same
 * time as personal details.
 */
function Files({ submissionId, documents: listed }: FilesProps) {
  const [purpose, setPurpose] = useState('');
  const named = useBriefly<readonly DocumentRecord[]>();
  const linked = useBriefly<Linked>();
  const isReady = isPurpose(purpose);
  const asked = { purpose: purpose.trim() };
  return (
    <>
      <form
        className="asks"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isReady) return;
          named.show(async (signal) => {
            const answer = await documents.listDocuments({ ...asked, submissionId }, { signal });
            return answer.documents;
          });
        }}
      >
        <Purpose value={purpose} onChange={setPurpose} />
        <Button type="submit" disabled={!isReady}>
          Names of the files
        </Button>
        {listed.filter(isClean).map(({ documentId }) => (
          <Button
            key={documentId}
            disabled={!isReady || linked.isAsking}
            onClick={() =>
              linked.show(async (signal) => {
                const { url } = await documents.downloadDocument({ ...asked, documentId }, { signal });
                return { documentId, url };
              })
            }
          >
            Download {documentId}
          </Button>
        ))}
      </form>
      <ShownBriefly of={linked} label="The way to the document">
        {({ documentId, url }) => (
          // Anyone who has the URL can read the document, so it opens in a new tab and stays out of this tab's history.
          <p>
            <a className="bp6-button" href={url} target="_blank" rel="noreferrer">
              Save {documentId}
            </a>
          </p>
        )}
      </ShownBriefly>
      <ShownBriefly of={named} label="Names of the files">
        {(records) => (
          <ul>
            {records.map(({ documentId, filename }) => (
              <li key={documentId}>
                {visible(filename) || 'no name is left'} <small>{documentId}</small>
              </li>
            ))}
          </ul>
        )}
      </ShownBriefly>
    </>
  );
}

const isClean = ({ scanStatus, deletedAt }: DocumentRecord) => scanStatus === ScanStatus.CLEAN && !deletedAt;
