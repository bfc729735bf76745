import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { DocumentService } from '@supplier/proto/document/v1/document';
import type { Context } from './context.ts';
import { deleteDocument, eraseDocuments } from './erase/erase-documents.ts';
import { finalizeUpload } from './finalize/finalize-upload.ts';
import { downloadDocument, listDocuments } from './read/read-documents.ts';
import { listWaitingDocuments, rescanDocument } from './scan/scan-rpcs.ts';
import { createUpload } from './upload/create-upload.ts';

/** Registers the RPC handlers of the document service. */
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
