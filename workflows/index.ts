// What the worker registers, and nothing else.
export { paymentIntent } from './payment-intent';
export { payoutRecheck } from './payout-recheck';
export { refundIntent } from './refund-intent';
export { restoreWatch } from './restore-watch';
export { webhookDelivery } from './webhook-delivery';
