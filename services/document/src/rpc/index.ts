import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { DocumentService } from '@supplier/proto/document/v1/document';
import type { Context } from '../context.ts';
import { createUpload } from './create-upload.ts';
import { deleteDocument } from './delete-document.ts';
import { downloadDocument } from './download-document.ts';
import { eraseDocuments } from './erase-documents.ts';
import { finalizeUpload } from './finalize-upload.ts';
import { listDocuments } from './list-documents.ts';
import { listWaitingDocuments } from './list-waiting-documents.ts';
import { rescanDocument } from './rescan-document.ts';

/** The RPCs of the document service. */
export function routes(context: Context): (router: ConnectRouter) => void {
  return (router) => {
    auditRoutes(context.pool)(router);
    router.service(DocumentService, {
      createUpload: createUpload(context),
      finalizeUpload: finalizeUpload(context),
      listDocuments: listDocuments(context),
      listWaitingDocuments: listWaitingDocuments(context),
      downloadDocument: downloadDocument(context),
      rescanDocument: rescanDocument(context),
      deleteDocument: deleteDocument(context),
      eraseDocuments: eraseDocuments(context),
    });
  };
}
