import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { EraseDocumentsResponseSchema } from '@supplier/proto/document/v1/erase_documents';
import { EraseDeliveriesResponseSchema } from '@supplier/proto/webhook/v1/erase_deliveries';
import type { Context } from '../src/context.ts';

/** Fakes of the document and webhook services for erasures. */
export interface OtherServices extends Pick<Context, 'documents' | 'webhooks'> {
  /** Ids of the submissions that each was asked to erase, in order. */
  readonly asked: { documents: string[]; deliveries: string[] };
  /** Requester and purpose of each request, in the same order. */
  readonly orders: { documents: object[]; deliveries: object[] };
  /** Whether each service is unavailable. */
  away: { documents: boolean; webhooks: boolean };
  /** The response of the document service. */
  objectsLeft: bigint;
  /** Called while the document service erases. */
  meanwhile: () => Promise<void>;
}

export function otherServices(): OtherServices {
  const refuseWhen = (away: boolean) => {
    if (away) throw new ConnectError('connection refused', Code.Unavailable);
  };
  const services: OtherServices = {
    asked: { documents: [], deliveries: [] },
    orders: { documents: [], deliveries: [] },
    away: { documents: false, webhooks: false },
    objectsLeft: 0n,
    meanwhile: async () => {},
    documents: {
      async eraseDocuments({ submissionId = '', requester, purpose }) {
        refuseWhen(services.away.documents);
        services.asked.documents.push(submissionId);
        services.orders.documents.push({ requester, purpose });
        await services.meanwhile();
        refuseWhen(services.away.documents);
        const { objectsLeft } = services;
        return create(EraseDocumentsResponseSchema, { documentsErased: 2n, objectsLeft, uploadsEnded: true });
      },
    },
    webhooks: {
      async eraseDeliveries({ submissionId = '', requester, purpose }) {
        refuseWhen(services.away.webhooks);
        services.asked.deliveries.push(submissionId);
        services.orders.deliveries.push({ requester, purpose });
        return create(EraseDeliveriesResponseSchema, { eventsErased: 1n, attemptsErased: 3n });
      },
    },
  };
  return services;
}
