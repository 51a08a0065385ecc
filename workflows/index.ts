// What the worker registers, and nothing else.
export { paymentIntent } from './payment-intent';
export { refundIntent } from './refund-intent';
export { webhookDelivery } from './webhook-delivery';
