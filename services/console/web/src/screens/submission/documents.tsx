import { Badge, Button, Group } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import {
  DocumentCategorySchema,
  type DocumentRecord,
  DocumentService,
  ScanReasonSchema,
  ScanStatus,
  ScanStatusSchema,
} from '@supplier/proto/document/v1/document';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { documents, keyOf, queryOf, useMay } from '../../calls.ts';
import { Mono, ShortId } from '../../components/mono.tsx';
import { notRepeated } from '../../components/paged-list.ts';
import { Panel, PanelBody } from '../../components/panel.tsx';
import { PurposeForm } from '../../components/purpose-field.tsx';
import { Revealed } from '../../components/revealed.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useReveal } from '../../components/use-reveal.ts';
import { enumLabel, enumName, formatBytes } from '../../format.ts';

/** No applicant details are shown, but the contract requires a purpose. */
const PURPOSE = 'Shown with the submission, masked.';

/** The documents of a submission. File names and contents require a purpose. */
export function DocumentsPanel({ submissionId }: { readonly submissionId: string }) {
  const may = useMay();
  const query = useQuery({
    ...queryOf(DocumentService.method.listDocuments, { submissionId, masked: true, purpose: PURPOSE }),
    // Each read is recorded in the audit log.
    meta: { isAudited: true },
    ...notRepeated,
  });
  return (
    <Panel title="Documents" query={query} empty="No documents." isFlush>
      {({ documents: found }) => (
        <>
          <SimpleTable
            label="Documents"
            empty="No documents."
            heads={['Category', 'Type', 'Size', 'Sent', 'Scan', 'ID', '']}
            minor={['Type']}
            numbers={['Size']}
            rows={found.map((document) => [
              enumLabel(DocumentCategorySchema, document.category),
              document.contentType,
              formatBytes(Number(document.byteSize)),
              <RelativeTime key="sent" at={document.createdAt} />,
              <ScanBadge key="scan" document={document} />,
              <ShortId key="id" id={document.documentId} />,
              <DocumentActions key="actions" document={document} />,
            ])}
          />
          <Faults documents={found.filter(({ scanRule }) => scanRule !== '')} />
          {found.length > 0 && may(DocumentService.method.downloadDocument) ? (
            <Files submissionId={submissionId} documents={found} />
          ) : null}
        </>
      )}
    </Panel>
  );
}

const SCAN_COLORS = {
  [ScanStatus.UNSPECIFIED]: 'gray',
  [ScanStatus.PENDING_SCAN]: 'amber',
  [ScanStatus.CLEAN]: 'green',
} as const satisfies Partial<Record<ScanStatus, string>>;

/** Why the content check refused documents, and what the supplier can do. */
function Faults({ documents: refused }: { readonly documents: readonly DocumentRecord[] }) {
  if (refused.length === 0) return null;
  return (
    <PanelBody>
      <ul aria-label="Why scans failed">
        {refused.map(({ documentId, scanRule, scanPart, scanProblem, scanAdvice }) => (
          <li key={documentId}>
            {scanProblem} {scanAdvice} <Mono>{scanPart ? `${scanRule} · ${scanPart}` : scanRule}</Mono>{' '}
            <small>{documentId}</small>
          </li>
        ))}
      </ul>
    </PanelBody>
  );
}

function ScanBadge({
  document: { scanStatus, scanReason, deletedAt },
}: {
  readonly document: DocumentRecord;
}) {
  if (deletedAt) return <Badge color="gray">Deleted</Badge>;
  const color = SCAN_COLORS[scanStatus as keyof typeof SCAN_COLORS] ?? 'red';
  return (
    <Badge color={color}>
      {enumLabel(ScanStatusSchema, scanStatus)}
      {scanReason ? ` · ${enumName(ScanReasonSchema, scanReason)}` : ''}
    </Badge>
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
  const named = useReveal<readonly DocumentRecord[]>();
  const linked = useReveal<Linked>();
  const showNames = (purpose: string) =>
    named.show(async (signal) => {
      const answer = await documents.listDocuments({ purpose, submissionId }, { signal });
      return answer.documents;
    });
  const link = (documentId: string, purpose: string) =>
    linked.show(async (signal) => {
      const { url } = await documents.downloadDocument({ purpose, documentId }, { signal });
      return { documentId, url };
    });
  return (
    <PanelBody>
      <PurposeForm
        isBusy={linked.isAsking}
        actions={[
          { name: 'Show file names', run: showNames },
          ...listed.filter(isClean).map(({ documentId }) => ({
            name: `Download ${documentId}`,
            run: (purpose: string) => link(documentId, purpose),
          })),
        ]}
      />
      <Revealed of={linked} label="Link to the document">
        {({ documentId, url }) => (
          // Anyone who has the URL can read the document, so it opens in a new tab and stays out of this tab's history.
          <p>
            <Button component="a" href={url} target="_blank" rel="noreferrer">
              {`Save ${documentId}`}
            </Button>
          </p>
        )}
      </Revealed>
      <Revealed of={named} label="File names">
        {(records) => (
          <ul>
            {records.map(({ documentId, filename }) => (
              <li key={documentId}>
                {visible(filename) || 'No name stored'} <small>{documentId}</small>
              </li>
            ))}
          </ul>
        )}
      </Revealed>
    </PanelBody>
  );
}

const isClean = ({ scanStatus, deletedAt }: DocumentRecord) => scanStatus === ScanStatus.CLEAN && !deletedAt;

/** The actions this person may take on a document in its present state. */
function DocumentActions({ document: present }: { readonly document: DocumentRecord }) {
  const may = useMay();
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
      {wasScanned && may(rescanDocument) ? (
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
      {may(deleteDocument) ? (
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
