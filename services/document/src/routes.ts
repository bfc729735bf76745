import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { DocumentService } from '@supplier/proto/document/v1/document';
import type { Context } from './context.ts';
import { deleteDocument } from './erase/delete-document.ts';
import { eraseDocuments } from './erase/erase-documents.ts';
import { finalizeUpload } from './finalize/finalize-upload.ts';
import { downloadDocument } from './read/download-document.ts';
import { listDocuments } from './read/list-documents.ts';
import { listWaitingDocuments } from './scan/list-waiting-documents.ts';
import { rescanDocument } from './scan/rescan-document.ts';
import { createUpload } from './upload/create-upload.ts';

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
