import type { ConnectRouter } from '@connectrpc/connect';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { createUpload } from './create-upload.ts';
import { finalizeUpload } from './finalize-upload.ts';

/** The RPCs of the document service. */
export function documentRoutes(): (router: ConnectRouter) => void {
  return (router) => {
    router.service(DocumentService, {
      createUpload: createUpload(),
      finalizeUpload: finalizeUpload(),
    });
  };
}
