{{- define "payments.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "payments.env" -}}
- { name: NODE_ENV, value: production }
- { name: SERVICE_ENV, value: {{ .Values.environment | quote }} }
- { name: HOST, value: 0.0.0.0 }
{{- range $name, $value := .Values.config }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- if .Values.temporalTls.secretName }}
- { name: TEMPORAL_TLS_CLIENT_CERT_PATH, value: /etc/temporal-tls/tls.crt }
- { name: TEMPORAL_TLS_CLIENT_KEY_PATH, value: /etc/temporal-tls/tls.key }
- { name: TEMPORAL_TLS_SERVER_CA_CERT_PATH, value: /etc/temporal-tls/ca.crt }
{{- end }}
{{- end }}

{{- define "payments.container" -}}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - secretRef: { name: {{ .Values.existingSecret }} }
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "payments.pod" -}}
automountServiceAccountToken: false
# Services of the namespace must not become settings.
enableServiceLinks: false
terminationGracePeriodSeconds: 30
securityContext:
  runAsNonRoot: true
  # The user `node` of the image.
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
  {{- with .sysctls }}
  sysctls: {{ toJson . }}
  {{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- end }}

{{- define "payments.mounts" -}}
{{- if .Values.temporalTls.secretName }}
- { name: temporal-tls, mountPath: /etc/temporal-tls, readOnly: true }
{{- end }}
{{- end }}

{{- define "payments.volumes" -}}
{{- if .Values.temporalTls.secretName }}
- name: temporal-tls
  secret: { secretName: {{ .Values.temporalTls.secretName }} }
{{- end }}
{{- end }}
